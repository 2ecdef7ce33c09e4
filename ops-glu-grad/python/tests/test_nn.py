"""Tiny random models of Hugging Face, before and after `patch`."""

import importlib.util
import sys
import tempfile
import unittest

if any(importlib.util.find_spec(module) is None for module in ("torch", "transformers")):
    raise unittest.SkipTest("torch and transformers are not installed")

import torch
import transformers
from torch.distributed.fsdp import fully_shard

from ops_glu_grad import nn

SMALL = dict(
    vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, pad_token_id=0
)
HEADS = SMALL | dict(head_dim=8)
#: Configurations, with what `patch` replaces.
MODELS = {
    "LlamaForCausalLM": (transformers.LlamaConfig, SMALL, {"mlp": 2, "rotary": 1}),
    "MistralForCausalLM": (transformers.MistralConfig, SMALL, {"mlp": 2, "rotary": 1}),
    "Qwen2ForCausalLM": (transformers.Qwen2Config, SMALL, {"mlp": 2, "rotary": 1}),
    "Gemma2ForCausalLM": (transformers.Gemma2Config, HEADS, {"mlp": 2, "rotary": 1}),
    "PhiForCausalLM": (transformers.PhiConfig, SMALL, {"mlp": 2, "rotary": 1}),
    "Phi3ForCausalLM": (transformers.Phi3Config, SMALL, {"mlp": 2, "rotary": 1}),
    "GptOssForCausalLM": (
        transformers.GptOssConfig,
        HEADS | dict(num_local_experts=4, num_experts_per_tok=2),
        {"experts": 2, "rotary": 1},
    ),
}


def model(name):
    configuration, sizes, _ = MODELS[name]
    torch.manual_seed(1)
    return getattr(transformers, name)(configuration(**sizes)).train()


def losses(model, steps=20, run=None, seed=2):
    """The losses of training steps on the same random tokens."""
    run = model if run is None else run
    torch.manual_seed(seed)
    tokens = torch.randint(1, 64, (2, 12))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = run(input_ids=tokens, labels=tokens).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def sharded(made):
    """The model with each of its layers, and what is left, shared by all processes."""
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    for part in (*made.model.layers, made):
        fully_shard(part, mesh=mesh)
    return made


def train(rank, world, place, results):
    """Trains every model as one of several processes, each on tokens of its own; the first reports both means of losses."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=world)
    for name, (*_, counts) in MODELS.items():
        means = []
        for is_patched in (False, True):
            made = model(name)
            if is_patched:
                assert nn.patch(made) == counts
            mean = torch.tensor(list(losses(sharded(made), seed=2 + rank))) / world
            torch.distributed.all_reduce(mean)
            means.append(mean.tolist())
        if rank == 0:
            results.put((name, *means))
    torch.distributed.destroy_process_group()


class Patched(unittest.TestCase):
    def patched(self, name, **options):
        """A patched model. Functions of Python modules are put back, because other tests need them as they were."""
        made = model(name)
        for source in {sys.modules[type(block).__module__] for block in made.modules()}:
            if hasattr(source, "apply_rotary_pos_emb"):
                self.addCleanup(setattr, source, "apply_rotary_pos_emb", source.apply_rotary_pos_emb)
        self.assertEqual(nn.patch(made, **options), MODELS[name][2])
        return made

    def test_training_reaches_the_same_losses(self):
        for name in MODELS:
            with self.subTest(name):
                before = list(losses(model(name)))
                steps = losses(self.patched(name))
                with torch.profiler.profile() as calls:
                    after = [next(steps)]
                after += steps
                self.assertTrue(any("ops_glu_grad" in call.key for call in calls.key_averages()))
                self.assertLess(before[-1], before[0])
                for got, want in zip(after, before):
                    self.assertAlmostEqual(got, want, delta=1e-5 * want)

    def test_backward_passes_in_place_reach_the_same_losses(self):
        for name in MODELS:
            with self.subTest(name):
                want = list(losses(model(name), 5))
                for a, b in zip(losses(self.patched(name, inplace_backward=True), 5), want):
                    self.assertAlmostEqual(a, b, delta=1e-5 * b)

    def test_patched_models_compile(self):
        for name in MODELS:
            with self.subTest(name):
                torch._dynamo.reset()
                want = list(losses(model(name)))
                patched = self.patched(name)
                for a, b in zip(losses(patched, run=torch.compile(patched, fullgraph=True)), want, strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-5 * b)

    def test_two_processes_that_share_a_patched_model_reach_the_same_losses(self):
        results = torch.multiprocessing.get_context("spawn").SimpleQueue()
        with tempfile.TemporaryDirectory() as place:
            torch.multiprocessing.spawn(train, (2, f"{place}/meet", results), nprocs=2)
        for _ in MODELS:
            name, want, got = results.get()
            self.assertLess(want[-1], want[0])
            for a, b in zip(got, want, strict=True):
                self.assertAlmostEqual(a, b, delta=1e-5 * b, msg=name)

    def test_a_block_that_computes_something_else_stays(self):
        class Scaled(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.gate_proj, self.up_proj, self.down_proj = (torch.nn.Linear(4, 4) for _ in range(3))
                self.act_fn = torch.nn.SiLU()

            def forward(self, x):
                return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x)) * 2

        with self.assertRaisesRegex(ValueError, "patch: Scaled has no block that is known; known are gate_proj"):
            nn.patch(Scaled())


if __name__ == "__main__":
    unittest.main()
