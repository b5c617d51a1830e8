"""Scores answers by ROUGE-L (Lin, 2004) as the package rouge-score computes it: the F measure of
the longest common subsequence of words, without a stemmer. The best score over the references
counts.
"""
from answers import score_all
from rouge_score import rouge_scorer


def main():
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    score_all(
        lambda answer, references: max(
            scorer.score(reference, answer)["rougeL"].fmeasure for reference in references
        )
    )


if __name__ == "__main__":
    main()
