/* A program around a header that is compiled alone. */
int main(void);
