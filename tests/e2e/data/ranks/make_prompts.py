import json
import sys

(out,) = sys.argv[1:]
with open(out + "/prompts.jsonl", "w") as prompts:
    for block in range(3):
        for i in range(25):
            print(
                json.dumps(
                    {
                        "text_input": f"prompt {block} {i}",
                        "isl": 3,
                        "warmup": i == 0,
                        "block": block,
                    }
                ),
                file=prompts,
            )
