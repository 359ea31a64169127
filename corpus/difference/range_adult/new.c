int f(int age)
{
    return age >= 18;
}
