static _Thread_local int last_error;

int fail(int code) {
    last_error = code;
    return -1;
}

int check(int x) {
    if (x < 0)
        return fail(x);
    last_error = 0;
    return x;
}

int error(void) { return last_error; }
