"""text_scores.py exact|normalized|f1|numeric [--tolerance T]: scores answers by comparing texts.
The best score over the references counts.

normalized and f1 follow the evaluation of SQuAD (Rajpurkar et al., 2016): lower case; without ASCII
punctuation and the words a, an, the; any white space as one blank.
"""
import argparse
import collections
import math
import re
import string

from answers import score_all

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)
# Not a part of a word or of another number; commas separate thousands.
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:[0-9][0-9,]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def normalized_words(text):
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()


def exact(answer, reference):
    """Equal but for white space at both ends."""
    return float(answer.strip() == reference.strip())


def normalized(answer, reference):
    return float(normalized_words(answer) == normalized_words(reference))


def f1(answer, reference):
    """The harmonic mean of precision and recall of the words, each counted as often as it occurs.
    Without a word on a side: whether both have none."""
    got, wanted = normalized_words(answer), normalized_words(reference)
    if not got or not wanted:
        return float(got == wanted)
    common = sum((collections.Counter(got) & collections.Counter(wanted)).values())
    return 2 * common / (len(got) + len(wanted))


def last_number(text):
    found = None
    for found in NUMBER.finditer(text):
        pass
    if found is None:
        return None
    number = float(found.group().replace(",", ""))
    return number if math.isfinite(number) else None


def numeric(tolerance):
    def score(answer, reference):
        wanted, got = last_number(reference), last_number(answer)
        if wanted is None:
            return None
        if got is None:
            return 0.0
        return float(math.isclose(got, wanted, rel_tol=tolerance, abs_tol=tolerance))

    return score


def best(compare):
    def score(answer, references):
        scores = [compare(answer, reference) for reference in references]
        return max((one for one in scores if one is not None), default=None)

    return score


def main():
    parser = argparse.ArgumentParser(description="Score answers by comparing texts.")
    parser.add_argument("scorer", choices=["exact", "normalized", "f1", "numeric"])
    parser.add_argument("--tolerance", type=float, default=1e-6)
    options = parser.parse_args()
    scorers = {
        "exact": exact,
        "normalized": normalized,
        "f1": f1,
        "numeric": numeric(options.tolerance),
    }
    score_all(best(scorers[options.scorer]))


if __name__ == "__main__":
    main()
