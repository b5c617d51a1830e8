"""The meaning of each input of the `tensorrt_llm` tensors to the engine, and refused inputs."""
import unittest

import numpy as np

import models  # noqa: F401  (puts the runner on the path)
from engine import Refused
from sampling import generation_config, refuse_unsupported, word_list


def config(**inputs):
    return generation_config({"request_output_len": 10, **inputs}, 1000)


class Sampling(unittest.TestCase):
    def test_sampling_is_greedy_unless_top_k_or_top_p_requests_more_tokens(self):
        for inputs, samples in [
            ({}, False),
            ({"temperature": 0.7}, False),
            ({"runtime_top_k": 1, "runtime_top_p": 0.9}, False),
            ({"runtime_top_k": 5}, True),
            ({"runtime_top_p": 0.9}, True),
            ({"runtime_top_k": 5, "temperature": 0.0}, False),
        ]:
            self.assertEqual(config(**inputs).do_sample, samples, inputs)
        chosen = config(runtime_top_k=5, runtime_top_p=0.5, temperature=2.0, random_seed=9)
        self.assertEqual(
            (chosen.top_k, chosen.top_p, chosen.temperature, chosen.rng_seed), (5, 0.5, 2.0, 9)
        )

    def test_an_end_id_outside_the_vocabulary_disables_the_end_token(self):
        for end_id, ignored in [(0, False), (999, False), (-1, True), (1000, True)]:
            self.assertEqual(config(end_id=end_id).ignore_eos, ignored, end_id)
        self.assertTrue(config().ignore_eos)

    def test_min_length_is_limited_to_the_requested_length(self):
        self.assertEqual(config(min_length=4).min_new_tokens, 4)
        self.assertEqual(config(min_length=400).min_new_tokens, 10)

    def test_a_value_out_of_range_is_refused_with_its_input_and_range(self):
        for inputs, message in [
            ({"temperature": -1.0}, "temperature is -1; it must be from 0 to 1e+06"),
            ({"runtime_top_p": 1.5}, "runtime_top_p is 1.5; it must be from 0 to 1"),
            ({"presence_penalty": 3.0}, "presence_penalty is 3; it must be from -2 to 2"),
        ]:
            with self.assertRaises(Refused) as refused:
                config(**inputs)
            self.assertEqual(str(refused.exception), message)

    def test_an_unsupported_input_is_refused_with_its_reason(self):
        for inputs, message in [
            ({"beam_width": 4}, "beam_width is 4: this engine has no beam search; leave it at 1"),
            (
                {"return_log_probs": True},
                (
                    "return_log_probs is 1: this engine has no log probabilities; leave it out or"
                    " false"
                ),
            ),
            (
                {"num_return_sequences": 2},
                (
                    "num_return_sequences is 2: this engine has no way to give several answers to"
                    " one prompt; send the prompt several times"
                ),
            ),
            (
                {"bad_words_list": np.array([[7], [1]])},
                "bad_words_list is set: this engine does not support bad words; leave it out",
            ),
        ]:
            with self.assertRaises(Refused) as refused:
                refuse_unsupported(inputs)
            self.assertEqual(str(refused.exception), message)
        refuse_unsupported(
            {
                "beam_width": 1,
                "return_log_probs": False,
                "bad_words_list": np.zeros((2, 0)),
                "embedding_bias": np.zeros(0),
            }
        )
        refuse_unsupported({"bad_words_list": np.array([[0], [-1]])})  # of an empty text

    def test_word_lists_are_split_at_their_offsets(self):
        self.assertEqual(word_list(np.array([[7, 8, 9, 0], [2, 3, -1, -1]])), [[7, 8], [9]])
        self.assertEqual(word_list(np.empty((2, 0), int)), [])


if __name__ == "__main__":
    unittest.main()
