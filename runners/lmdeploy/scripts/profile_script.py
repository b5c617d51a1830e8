"""profile_script.py [--devices URL] DATASET COMMAND...: replaces itself with COMMAND, in which the
word DATASET becomes the path of the dataset. LMDeploy's benchmark scripts sample a file in
ShareGPT's form. URL says which GPUs a script uses that has the engine in its process.
"""
import os
import sys
import urllib.request

from stage import Failed, run

LOCAL = "local:"


def devices(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=30) as answer:
        return answer.read().decode()


def main(arguments):
    variables = dict(os.environ)
    if arguments[:1] == ["--devices"]:
        found = devices(arguments[1])
        arguments = arguments[2:]
        if found:
            variables["CUDA_VISIBLE_DEVICES"] = found
    if not arguments or not arguments[0].startswith(LOCAL):
        raise Failed(
            "LMDeploy's benchmark scripts sample a file of ShareGPT, and this matrix has synthetic"
            ' prompts; add datasets: {sharegpt: {source: "local:FILE"}} and measure: {prompts:'
            " sharegpt}"
        )
    path = arguments[0][len(LOCAL) :]
    command = [path if word == "DATASET" else word for word in arguments[1:]]
    sys.stdout.flush()
    os.execvpe(command[0], command, variables)


if __name__ == "__main__":
    run(main)
