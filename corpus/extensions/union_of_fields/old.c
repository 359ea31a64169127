union word {
    struct { unsigned low : 12; unsigned middle : 8; unsigned high : 12; } part;
    unsigned all;
};

unsigned middle_of(unsigned value) {
    union word w;
    w.all = value;
    return w.part.middle;
}

unsigned with_low(unsigned value, unsigned low) {
    union word w;
    w.all = value;
    w.part.low = low;
    return w.all;
}
