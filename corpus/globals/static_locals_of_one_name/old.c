int counted(int which)
{
    if (which) {
        static int calls;
        calls += 1;
        return calls;
    } else {
        static int calls;
        calls += 2;
        return calls;
    }
}
