/* Asks until an answer is one of the usual ones, at most five times. */
int ask(int question);

int asked(int question)
{
    int answer = -1;

    for (int tries = 0; tries < 5; tries++) {
        if (question < 0)
            break;
        answer = ask(question);
        if (answer == 'y' || answer == 'n')
            return answer;
    }
    return answer;
}
