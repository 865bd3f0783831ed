"""The isolated engine inside nbgrader: `nbgrader autograde` and formgrader run student code as `grade` does.

The class folder's nbgrader_config.py puts `IsolatedGrading` in the place of nbgrader's sanitizing and executing
steps; saving scores and late penalties stay nbgrader's own. It reads the master from the class's source folder.
"""

import json
from pathlib import Path

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Float, Unicode

from .assignment import from_notebook
from .engines import Engine
from .reading import parse_notebook
from .results import GRADED, PARTIAL


class IsolatedGrading(NbGraderPreprocessor):
    """Replaces a submitted notebook by the master's with the student's answers, executed in isolation."""

    source = Unicode(help="The class's source folder").tag(config=True)
    seconds = Float(10.0, help="Time limit per cell").tag(config=True)

    def preprocess(self, nb, resources):
        about = resources["nbgrader"]
        name = about["assignment"]
        master = from_notebook(name, Path(self.source) / name / f"{about['notebook']}.ipynb")
        notebook = parse_notebook(json.dumps(nb).encode(), f"{about['student']}/{name}")
        result = Engine(seconds=self.seconds)(master, notebook)
        if result.status != GRADED:
            raise RuntimeError(f"{about['student']}/{name} needs a person: {result.reason}")
        for note in result.notes:
            self.log.warning("%s/%s: %s", about["student"], name, note)
        executed = nbformat.from_dict(result.notebook)
        partial = {cell.grade_id: cell.points for cell in result.cells if cell.status == PARTIAL}
        for cell in executed.cells:
            points = partial.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
            if points is not None:  # how nbgrader is told of partial credit
                cell.outputs.append(nbformat.v4.new_output("execute_result", {"text/plain": repr(float(points))}))
        return executed, resources
