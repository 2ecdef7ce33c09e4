"""What `docs/from-python.md` shows is what happens. Its second half is for those who have PyTorch."""

import doctest
import importlib.util
import pathlib
import unittest

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "from-python.md"


class Documents(unittest.TestCase):
    def test_the_page(self):
        arrays, tensors = PAGE.read_text().split("\n## PyTorch\n")
        text = arrays + (tensors if importlib.util.find_spec("torch") else "")
        examples = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
        self.assertGreater(len(examples.examples), 10)
        said = []
        self.assertEqual(doctest.DocTestRunner().run(examples, out=said.append).failed, 0, "".join(said))


if __name__ == "__main__":
    unittest.main()
