unsigned swap(unsigned x) {
    __asm__("bswap %0" : "+r"(x));
    return x;
}

unsigned mixed(unsigned x) {
    unsigned y = x * 2;
    __asm__ volatile("" ::: "memory");
    return swap(y) ^ x;
}
