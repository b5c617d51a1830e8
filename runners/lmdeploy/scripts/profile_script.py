"""profile_script.py DATASET COMMAND...: replaces itself with COMMAND, in which the word DATASET
becomes the path of the dataset. LMDeploy's benchmark scripts sample a file in ShareGPT's form.
"""
import os
import sys

from stage import Failed, run

LOCAL = "local:"


def main(arguments):
    if not arguments or not arguments[0].startswith(LOCAL):
        raise Failed(
            "LMDeploy's benchmark scripts sample a file of ShareGPT, and this matrix has synthetic"
            ' prompts; add datasets: {sharegpt: {source: "local:FILE"}} and measure: {prompts:'
            " sharegpt}"
        )
    path = arguments[0][len(LOCAL) :]
    command = [path if word == "DATASET" else word for word in arguments[1:]]
    sys.stdout.flush()
    os.execv(command[0], command)


if __name__ == "__main__":
    run(main)
