/* Calls large enough for several threads, in children of a process that has made such calls: the threads that share the work stay
   behind in the parent. */
#define _POSIX_C_SOURCE 200809L
#include "acl/acl.h"
#include "aclnnop/aclnn_gelu.h"
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 18, SECONDS = 120 }; /* two megabytes are worth two threads */

static float x[N], first[N];

static void large(float* y)
{
    const int64_t n = N;
    aclTensor* tx = aclCreateTensor(&n, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, x);
    aclTensor* ty = aclCreateTensor(&n, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, y);
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    IS(0, aclnnGeluGetWorkspaceSize(tx, ty, &size, &executor));
    IS(0, aclnnGelu(NULL, size, executor, NULL));
    IS(0, aclDestroyTensor(tx));
    IS(0, aclDestroyTensor(ty));
}

/* In a child, and its child: the same bits. */
static void in_child(int generations)
{
    fflush(stdout);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(SECONDS); /* rather than for ever */
        float* y = calloc(N, sizeof *y);
        failures = 0;
        for (int round = 0; round < 3; round++) {
            large(y);
        }
        CHECK(memcmp(y, first, sizeof first) == 0);
        IS(161002, aclDestroyTensor((aclTensor*)x));
        CHECK(aclGetRecentErrMsg() != NULL);
        free(y);
        if (generations > 1) {
            in_child(generations - 1);
        }
        fflush(stdout);
        _exit(failures != 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 4096) / 512 - 4;
    }
    large(first);
    in_child(2);
    large(first); /* the parent still has its threads */
    in_child(1);
    printf("%d failures\n", failures);
    return failures != 0;
}
