"""Reads answers from standard input and writes their scores: the form that every scorer program
has. A line of input is {"id", "prompt", "answer", "references": [...]}; a line of output is
{"id", "score"}, with null where the answer has no score. Does not know how an answer is scored.
"""
import json
import sys


def score_all(score):
    """SCORE(answer, references) is a number or None."""
    for line in sys.stdin.buffer:
        row = json.loads(line)
        value = score(row["answer"], row["references"])
        print(json.dumps({"id": row["id"], "score": value}))
