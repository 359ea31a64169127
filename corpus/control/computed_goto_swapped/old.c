int step(unsigned op, int acc)
{
    static const void *const targets[] = {&&inc, &&dec, &&neg};

    goto *targets[op % 3];
inc:
    return acc + 1;
dec:
    return acc - 1;
neg:
    return -acc;
}
