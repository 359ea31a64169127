#define CHECK(x) __asm__ goto("testl $1, %0\n\tjne %l1" : : "r"(x) : "cc" : odd)

int classify(int x, int limit)
{
    int low = 0;

    low = x < limit;
    CHECK(x);
    return low;
odd:
    return low + 2;
}
