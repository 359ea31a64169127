static _Thread_local int last_error;

int fail(int code) {
    last_error = code;
    return -1;
}

int check(int x) {
    last_error = x < 0 ? x : 0;
    return x < 0 ? -1 : x;
}

int error(void) { return last_error; }
