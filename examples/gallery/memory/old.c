struct account {
    int balance;
    int transfers;
};

int withdraw(struct account *account, int amount) {
    if (amount > account->balance)
        return 0;
    account->balance -= amount;
    account->transfers++;
    return 1;
}
