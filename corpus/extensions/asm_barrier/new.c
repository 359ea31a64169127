unsigned swap(unsigned x) {
    __asm__("bswap %0" : "+r"(x));
    return x;
}

unsigned mixed(unsigned x) {
    unsigned y = x + x;
    __asm__ volatile("" ::: "memory");
    return x ^ swap(y);
}
