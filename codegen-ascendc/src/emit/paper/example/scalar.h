// A number as the interface takes it.
struct Scalar {
    float value;
    aclScalar* scalar;

    explicit Scalar(float number) : value(number), scalar(aclCreateScalar(&value, ACL_FLOAT)) {}
    ~Scalar() { aclDestroyScalar(scalar); }
    Scalar(const Scalar&) = delete;
    Scalar& operator=(const Scalar&) = delete;
};
