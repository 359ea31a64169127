int balance(int paid, int due)
{
    return paid - due;
}
