int step(unsigned op, int acc)
{
    switch (op % 3) {
    case 0:
        return acc + 1;
    case 1:
        return acc - 1;
    default:
        return -acc;
    }
}
