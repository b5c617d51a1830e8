"""Runs upstream's fill_template.py of every tag and `orchestrate fill-template --compat` on the
same files and arguments, and prints where exit status, output or file differ. Usage:
fill_template_oracle.py ORCHESTRATE GIT_FOLDER WORK_FOLDER"""
import os
import random
import re
import subprocess
import sys

ORCHESTRATE, UPSTREAM, WORK = (os.path.abspath(path) for path in sys.argv[1:4])
GIT = os.path.join(UPSTREAM, ".git") if os.path.isdir(os.path.join(UPSTREAM, ".git")) else UPSTREAM
SCRIPTS = ("tools/fill_template.py", "triton_backend/tools/fill_template.py")
THOROUGH = {"v0.9.0", "v0.11.0", "v0.12.0", "v0.14.0", "v0.15.0", "v0.16.0", "v0.19.0", "v1.0.0"}
RANDOM_CASES, FEW_CASES = 60, 12


def git(*words):
    done = subprocess.run(
        ["git", "--git-dir=" + GIT, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return done.stdout if done.returncode == 0 else None


def value_of(key):
    if key.endswith(("_dir", "_path")):
        return "/models/a b/" + key
    if "datatype" in key or "data_type" in key:
        return "TYPE_FP16"
    return {
        "decoupled_mode": "True",
        "batching_strategy": "inflight_fused_batching",
        "triton_backend": "tensorrtllm",
    }.get(key, "1")


def placeholders(template):
    return sorted(set(re.findall(r"\$\{?([A-Za-z_]\w*)", template.decode())))


# Texts and arguments on which releases, or naive implementations, differ.
TEMPLATES = [
    b"",
    b"${a}",
    b"x: ${a}\r\ny: $b\rz: $$a $${a} ${a",
    b"\xef\xbb\xbf${a}\n\n",
    b"a: ${\xc4\xb1} $\xc5\xbf ${A} ${_a1} $a-b $1 $ {a}",
    b"\xff${a}\n",
    b"\xed\xa0\x80${a}",
    b"q: ${max_queue_size} ${max_queue_delay_microseconds} ${participant_ids}\n",
    b"caf\xc3\xa9 ${a}\xc3\xa9 $a\xc3\xa9\n",
    b"${a}\0${b}\n",
    b"engine: ${a} ${engine_dir}\n",
]
ARGUMENTS = [
    b"a:1",
    b"a:1,b:2",
    b"a:1,a:2",
    b"a:$b,b:$a",
    b"a:",
    b":1",
    b"",
    b"a",
    b"a:1,",
    b",a:1",
    b"a:b:c",
    b"a:/x,y,b:2",
    b"a:1\\,2,b:3",
    b"a:b\\:c",
    b"a:b\\\\:c",
    b"a:x\\",
    b"a\\:1",
    b"a:\\\\,b:2",
    b"a:x\\\\\\,y",
    b"a:\\n",
    b"nothing:1",
    b"eng:1",
    b"engine:1",
    b"a: 1 , b : 2",
    b"a:x\r\ny\rz",
    b"A:1",
    b"a:\xc3\xa9",
    b"a:\xff",
    b"\xc3:1",
    b"a:\xc3\\\xa9",
    b"b:\xff",
    b"max_queue_size:7",
    b"participant_ids:3",
    b"${a}:1",
    b"a:1,max_queue_size:3,max_queue_delay_microseconds:4",
]
OPTIONS = [
    [],
    ["-i"],
    ["--in_place"],
    ["--in"],
    ["-ii"],
    ["-i", "-i"],
    ["--participant_ids", "1;2"],
    ["--participant_ids=3"],
    ["--p", "4", "-i"],
    ["--in_place=x"],
    ["-x"],
    ["--nope"],
    ["--"],
]


class Comparison:
    def __init__(self):
        self.cases, self.different = 0, 0

    def run(self, program, words, template, locale):
        path = os.path.join(WORK, "config.pbtxt")
        with open(path, "wb") as file:
            file.write(template)
        environment = {"PATH": os.environ["PATH"], "LC_ALL": locale}
        done = subprocess.run(
            program + words,
            cwd=WORK,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
        )
        with open(path, "rb") as file:
            return done.returncode, done.stdout, file.read()

    def compare(self, tag, words, template, locale="C.UTF-8"):
        self.cases += 1
        theirs = self.run(
            [sys.executable, "-S", os.path.join(WORK, "script.py")], words, template, locale
        )
        ours = self.run([ORCHESTRATE, "fill-template", "--compat", tag], words, template, locale)
        if ours != theirs:
            self.different += 1
            if self.different <= 10:
                print(
                    f"{tag} {words} on {template[:200]!r}\n  theirs:"
                    f" {theirs[0]} {theirs[1][-200:]!r} {theirs[2][-200:]!r}\n  ours:  "
                    f" {ours[0]} {ours[1][-200:]!r} {ours[2][-200:]!r}"
                )


def real_templates(tag):
    for path in git("ls-tree", "-r", "--name-only", tag).decode().split("\n"):
        if path.endswith("config.pbtxt"):
            yield git("show", f"{tag}:{path}")


def main():
    comparison, tags, templates = Comparison(), [], 0
    choose = random.Random(20261121)
    for tag in git("tag").decode().split():
        script = next(
            (text for text in (git("show", f"{tag}:{path}") for path in SCRIPTS) if text), None
        )
        if script is None:
            continue
        tags.append(tag)
        with open(os.path.join(WORK, "script.py"), "wb") as file:
            file.write(script)
        for template in real_templates(tag):
            keys = placeholders(template)
            templates += 1
            full = ",".join(f"{key}:{value_of(key)}" for key in keys) or "none:1"
            comparison.compare(tag, ["config.pbtxt", full], template)
            if tag in THOROUGH:
                comparison.compare(tag, ["-i", "config.pbtxt", full], template)
                comparison.compare(
                    tag,
                    [
                        "config.pbtxt",
                        ",".join(f"{key}:{value_of(key)}" for key in keys[::2]) or "none:1",
                    ],
                    template,
                )
                comparison.compare(
                    tag, ["config.pbtxt", full + ",max_queue_size:0,engine:1"], template
                )
        if tag in THOROUGH:  # each argument once, in place, on a template that uses it
            for argument in ARGUMENTS:
                comparison.compare(
                    tag,
                    ["-i", b"config.pbtxt", argument],
                    (
                        b"${a} $b ${max_queue_size} $max_queue_delay_microseconds"
                        b" ${participant_ids} engine\r\n"
                    ),
                )
        for _ in range(RANDOM_CASES if tag in THOROUGH else FEW_CASES):
            words = ["config.pbtxt", choose.choice(ARGUMENTS)]
            if choose.random() < 0.1:
                words = choose.choice(
                    [
                        [],
                        ["config.pbtxt"],
                        ["none.pbtxt", "a:1"],
                        [".", "a:1"],
                        ["config.pbtxt", "a:1", "b:2"],
                        ["", "a:1"],
                    ]
                )
            where = choose.randrange(len(words) + 1)
            words[where:where] = choose.choice(OPTIONS)
            comparison.compare(
                tag, words, choose.choice(TEMPLATES), choose.choice(["C.UTF-8", "C", "POSIX"])
            )
    print(
        f"{comparison.cases} cases, {templates} real templates, {len(tags)} tags,"
        f" {comparison.different} differ"
    )
    return 1 if comparison.different or not tags else 0


sys.exit(main())
