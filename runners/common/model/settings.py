"""Reads the parameters of a config.pbtxt: text that may be empty or unfilled, with a default.

It does not know the parameters of any model.
"""
import json

TRUE = {"true", "1", "t", "y", "yes"}
FALSE = {"false", "0", "f", "n", "no"}


class Settings:
    def __init__(self, args):
        self.config = json.loads(args["model_config"])
        self.model = args["model_name"]
        self.version = args["model_version"]
        self._parameters = self.config.get("parameters", {})

    def text(self, name, default=None):
        value = self._parameters.get(name, {}).get("string_value", "")
        return default if not value or value.startswith("${") else value

    def boolean(self, name, default):
        value = self.text(name)
        if value is None:
            return default
        if value.lower() in TRUE | FALSE:
            return value.lower() in TRUE
        raise ValueError(f"{self.model}: parameter {name} is {value!r}; write true or false")

    def integer(self, name, default):
        value = self.text(name)
        try:
            return default if value is None else int(value)
        except ValueError:
            raise ValueError(
                f"{self.model}: parameter {name} is {value!r}; write a whole number"
            ) from None

    def required(self, name):
        value = self.text(name)
        if value is None:
            raise ValueError(f"{self.model}: parameter {name} is empty; fill it in config.pbtxt")
        return value
