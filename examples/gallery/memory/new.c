struct account {
    int balance;
    int transfers;
};

int withdraw(struct account *account, int amount) {
    account->transfers++;
    if (amount > account->balance)
        return 0;
    account->balance -= amount;
    return 1;
}
