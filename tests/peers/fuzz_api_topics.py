"""What a scenario of fuzz_api.py can be about: each topic makes requests of its own."""

from fuzz_api_admission import Classes, Judged
from fuzz_api_definitions import Definitions
from fuzz_api_each import Each
from fuzz_api_reads import Parts, Reads
from fuzz_api_steps import Scenario
from fuzz_api_stories import Story

TOPICS = {"writes": Scenario, "stories": Story, "each": Each, "parts": Parts, "reads": Reads, "definitions": Definitions, "admission": Judged, "classes": Classes}
