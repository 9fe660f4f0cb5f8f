"""Texts as tokens, beside a plain reference here, and beside Hugging Face's tokenizers where that package is there. Files that
are damaged or of another kind are one diagnostic."""
import copy
import json
import os
import random
import subprocess
import unicodedata

import pytest

try:
    import tokenizers
except ImportError:
    tokenizers = None

BUILD = os.environ.get('top_builddir', '.')
SOURCE = os.environ.get('top_srcdir', '.')
PROGRAM = os.path.join(BUILD, 'tests/capi/tokens')
END = '<|endoftext|>'

# ---- the reference: GPT-2's rules, one after another ----

PRINTS = [*range(33, 127), *range(161, 173), *range(174, 256)]
CHARACTER = {b: chr(b) for b in PRINTS}
CHARACTER.update({b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in PRINTS)})
BLANKS = {*range(9, 14), 0x20, 0x85, 0xa0, 0x1680, *range(0x2000, 0x200b), 0x2028, 0x2029, 0x202f, 0x205f, 0x3000}


def class_of(c):
    if ord(c) in BLANKS: return ' '
    return unicodedata.category(c)[0] if unicodedata.category(c)[0] in 'LN' else '!'


def words(text):
    at = 0
    while at < len(text):
        end = next((at + len(s) for s in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(s, at)), None)
        first = at + 1 if text[at] == ' ' and at + 1 < len(text) and class_of(text[at + 1]) != ' ' else at
        if end is None:
            end = first
            while end < len(text) and class_of(text[end]) == class_of(text[first]): end += 1
            if class_of(text[first]) == ' ' and end < len(text) and end - at > 1: end -= 1
        yield text[at:end]
        at = end


def encode_word(word, vocab, ranks):
    parts = [CHARACTER[b] for b in word.encode()]
    while len(parts) > 1:
        rank, i = min((ranks.get((a, b), 1 << 30), i) for i, (a, b) in enumerate(zip(parts, parts[1:])))
        if rank == 1 << 30: break
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
    return [vocab[p] for p in parts]


def encode(text, vocab, merges):
    ranks = {tuple(m): i for i, m in enumerate(merges)}
    out = []
    for i, part in enumerate(text.split(END)):
        if i: out.append(vocab[END])
        for word in words(part): out += encode_word(word, vocab, ranks)
    return out


def learn(text, count):
    """A byte pair encoding of so many pairs: the most frequent first, of equal ones the first in order."""
    vocab = {c: i for i, c in enumerate(sorted(CHARACTER.values()))}
    merges, parts = [], [[CHARACTER[b] for b in w.encode()] for w in words(text)]
    while len(merges) < count:
        seen = {}
        for p in parts:
            for pair in zip(p, p[1:]): seen[pair] = seen.get(pair, 0) + 1
        best = min(seen, key=lambda pair: (-seen[pair], pair))
        if seen[best] < 2: break
        merges.append(list(best))
        vocab.setdefault(''.join(best), len(vocab))
        for p in parts:
            i = 0
            while i + 1 < len(p):
                if [p[i], p[i + 1]] == merges[-1]: p[i:i + 2] = [''.join(best)]
                i += 1
    vocab[END] = len(vocab)
    return vocab, merges


# ---- texts ----

ALPHABETS = ["abcdefghij", "ABC ", " \n\t\r  ", "0123456789", ".,;:!?'\"-()", "äöüßéèñ", "жизнь", "日本語テキスト", "🙂🎉👩‍🚀",
             "'s't're've'm'll'd", "\u00a0\u2003\u3000\u1680", "²½Ⅷ٣", "\u0301\u200d\ufeff", "𝐀𝟘𐍈", "ɐʰˠ", END]


def texts():
    rng = random.Random(int(os.environ.get('WEFT_SEED', '1')))
    yield from ["", " ", "  ", "a", " a", "a ", "\n\n a\n", "don't we'll 'S ''s 's", "x" * 5000, " " * 3000 + "y", END, END * 3 + " " + END,
                "<|endoftext|", "a\n\n\n", "tabs\t\tand  two", "12ab34", "é" * 50, "\u0000\u0001\u007f"]
    for _ in range(300 * int(os.environ.get('WEFT_LONG', '1'))):
        yield ''.join(rng.choice(rng.choice(ALPHABETS)) if rng.random() < 0.9 else END for _ in range(rng.randrange(60)))
    with open(os.path.join(SOURCE, 'examples/gpt/text.txt'), encoding='utf-8') as f: yield f.read()[:20000]


def tokens_of(path, all_texts):
    sent = b''.join(b'%d\n%s' % (len(t), t) for t in all_texts)
    done = subprocess.run([PROGRAM, str(path)], input=sent, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.decode().splitlines()
    return int(first), lines


@pytest.fixture(scope='module')
def learnt():
    with open(os.path.join(SOURCE, 'examples/gpt/text.txt'), encoding='utf-8') as f: text = f.read()[:6000]
    return learn(text + " don't we'll жизнь жизнь 日本語 日本語 🙂🙂 1234 1234 éé éé    \n\n\n\n    ", 300)


def whole(vocab, merges, as_pairs=True):
    model = {k: v for k, v in vocab.items() if k != END}
    return {"version": "1.0", "added_tokens": [{"id": vocab[END], "content": END, "single_word": False, "lstrip": False, "rstrip": False,
                                                "normalized": False, "special": True}],
            "normalizer": None, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "vocab": model, "merges": merges if as_pairs else [' '.join(m) for m in merges]}}


def write_two(folder, vocab, merges):
    (folder / 'vocab.json').write_text(json.dumps(vocab))
    (folder / 'merges.txt').write_text('#version: 0.2\n' + ''.join(' '.join(m) + '\n' for m in merges))


@pytest.mark.parametrize('layout', ['two', 'vocab.json', 'whole', 'pairs as texts'])
def test_tokens(tmp_path, learnt, layout):
    vocab, merges = learnt
    path = tmp_path
    if layout in ('two', 'vocab.json'): write_two(tmp_path, vocab, merges)
    else: (tmp_path / 'tokenizer.json').write_text(json.dumps(whole(vocab, merges, layout == 'whole')))
    if layout == 'vocab.json': path = tmp_path / 'vocab.json'
    every = list(texts())
    count, lines = tokens_of(path, [t.encode() for t in every])
    assert count == len(vocab)
    for text, line in zip(every, lines, strict=True):
        assert line == 'the text again:' + ''.join(f' {i}' for i in encode(text, vocab, merges)), repr(text)


@pytest.mark.skipif(not tokenizers, reason="the package tokenizers is not there")
def test_as_hugging_face(tmp_path):
    with open(os.path.join(SOURCE, 'examples/gpt/text.txt'), encoding='utf-8') as f: text = f.read()
    t = tokenizers.Tokenizer(tokenizers.models.BPE())
    t.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = tokenizers.decoders.ByteLevel()
    t.train_from_iterator([text], tokenizers.trainers.BpeTrainer(
        vocab_size=2000, special_tokens=[END, "<|more|>", "<|more|>>"], initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    t.save(str(tmp_path / 'tokenizer.json'))
    every = [*texts(), "a<|more|>>b<|more|>c", text]
    _, lines = tokens_of(tmp_path, [x.encode() for x in every])
    for x, line in zip(every, lines, strict=True):
        assert line == 'the text again:' + ''.join(f' {i}' for i in t.encode(x).ids), repr(x)


def test_any_bytes(tmp_path, learnt):
    rng = random.Random(3)
    write_two(tmp_path, *learnt)
    every = [bytes(rng.choice([rng.randrange(256), 0xe6, 0x97, 0xf0, 0x9f, 0x20]) for _ in range(rng.randrange(30))) for _ in range(300)]
    _, lines = tokens_of(tmp_path, every)
    assert len(lines) == len(every) and all(line.startswith('the text again:') for line in lines)


# ---- files that are not as they should be ----

def refused(path, text=b'abc'):
    done = subprocess.run([PROGRAM, str(path)], input=b'%d\n%s' % (len(text), text), capture_output=True, timeout=60)
    said = done.stderr.decode()
    assert done.returncode == 1 and said.count('error: ') == 1, (done.returncode, said)
    return said


def set_at(key, value):
    def change(t):
        *path, last = key
        for k in path: t = t[k]
        t[last] = value
    return change


MISTAKES = [
    (set_at(['model', 'type'], 'WordPiece'), "is a tokenizer of the kind 'WordPiece', not BPE"),
    (lambda t: t.pop('model'), "is a tokenizer of the kind '', not BPE"),
    (set_at(['pre_tokenizer'], {"type": "Metaspace"}), "cuts words otherwise than GPT-2: its pre_tokenizer is 'Metaspace'"),
    (set_at(['pre_tokenizer'], None), "cuts words otherwise than GPT-2: its pre_tokenizer is ''"),
    (set_at(['pre_tokenizer', 'add_prefix_space'], True), "cuts words otherwise than GPT-2"),
    (set_at(['normalizer'], {"type": "NFC"}), "changes texts first: it has a normalizer"),
    (set_at(['model', 'dropout'], 0.1), "has dropout, which Weft does not know"),
    (set_at(['model', 'end_of_word_suffix'], '</w>'), "has end_of_word_suffix, which Weft does not know"),
    (set_at(['model', 'vocab'], []), "has no vocabulary: model.vocab"),
    (set_at(['model', 'vocab', 'b'], 'x'), "has no number from 0 on for token 'b'"),
    (set_at(['model', 'vocab', 'b'], -1), "has no number from 0 on for token 'b'"),
    (set_at(['model', 'vocab', 'b'], 900000000), "and one with the number 900000000"),
    (set_at(['model', 'vocab', 'b'], 3), "has the number 3 twice, for"),
    (set_at(['model', 'merges'], {}), "has no list of pairs: model.merges"),
    (set_at(['model', 'merges', 1], 'a'), "has pair 2 as 'a', which is not two tokens with a blank between them"),
    (set_at(['model', 'merges', 1], 3), "has pair 2 as '', which is not two tokens"),
    (set_at(['model', 'merges', 1], ['a']), "has pair 2 not as two tokens"),
    (set_at(['model', 'merges', 1], ['q', 'q']), "joins token 'qq', which the vocabulary lacks"),
    (set_at(['model', 'merges', 1], ['nowhere', 'q']), "joins token 'nowhere', which the vocabulary lacks"),
    (lambda t: t['model']['merges'].append(t['model']['merges'][0]), "twice"),
    (set_at(['added_tokens', 0, 'content'], ''), "has an added token without content"),
    (set_at(['added_tokens', 0, 'lstrip'], True), "which Weft does not look for"),
    (set_at(['added_tokens', 0, 'id'], 5), "has the number 5 twice, for '<|endoftext|>' too"),
    (set_at(['added_tokens', 0, 'id'], 'x'), "has no number from 0 on for token '<|endoftext|>'"),
    (lambda t: t['added_tokens'].append(dict(t['added_tokens'][0], id=4000)), "has '<|endoftext|>' twice"),
    (lambda t: t['added_tokens'].append(dict(t['added_tokens'][0], content='a', id=4001)), "has 'a' twice, with two numbers"),
    (lambda t: t['model']['vocab'].pop('c'), "has no token for byte 0x63"),
]


@pytest.mark.parametrize('number', range(len(MISTAKES)))
def test_mistakes(tmp_path, learnt, number):
    change, said = MISTAKES[number]
    t = copy.deepcopy(whole(*learnt))
    if said.endswith('0x63'): t['model']['merges'] = [m for m in t['model']['merges'] if 'c' not in m]
    change(t)
    (tmp_path / 'tokenizer.json').write_text(json.dumps(t))
    assert said in refused(tmp_path, b'c')


def test_mistakes_of_two(tmp_path, learnt):
    vocab, merges = learnt
    assert 'cannot be opened' in refused(tmp_path / 'nowhere') or 'No such file' in refused(tmp_path / 'nowhere')
    write_two(tmp_path, vocab, merges)
    (tmp_path / 'merges.txt').write_text('#version: 0.2\na b c\n')
    assert "has pair 1 as 'a b c'" in refused(tmp_path)
    (tmp_path / 'merges.txt').write_bytes(b'a\0 b\n')
    assert 'has a NUL' in refused(tmp_path)
    (tmp_path / 'merges.txt').write_bytes(b'')
    assert 'has no pairs' in refused(tmp_path)
    (tmp_path / 'merges.txt').unlink()
    assert 'merges.txt' in refused(tmp_path)
    (tmp_path / 'vocab.json').write_text('{"a": 1, "a": 2}')
    assert 'duplicate object key' in refused(tmp_path)
    (tmp_path / 'vocab.json').write_text('[]')
    assert 'is no vocabulary' in refused(tmp_path)
    (tmp_path / 'vocab.json').write_text('{}')
    assert 'has no tokens' in refused(tmp_path)


def test_cut_short(tmp_path, learnt):
    """Each refused in a line; a list of pairs that ends between two lines is a shorter list."""
    text = json.dumps(whole(*learnt)).encode()
    for n in range(0, len(text), 1 + len(text) // 40):
        (tmp_path / 'tokenizer.json').write_bytes(text[:n])
        assert 'is not JSON' in refused(tmp_path)
    other = tmp_path / 'two'
    other.mkdir()
    write_two(other, *learnt)
    text = (other / 'merges.txt').read_bytes()
    for n in range(20, len(text), 1 + len(text) // 40):
        (other / 'merges.txt').write_bytes(text[:n])
        if text[n - 1:n] != b'\n': assert 'is cut off' in refused(other)


def test_a_folder_without_a_tokenizer(tmp_path):
    assert "has neither tokenizer.json nor vocab.json" in refused(tmp_path)


def test_tokens_of_a_post_processor_are_the_callers(tmp_path, learnt):
    """As encode with add_special_tokens=False."""
    t = whole(*learnt)
    (tmp_path / 'tokenizer.json').write_text(json.dumps(t))
    plain = tokens_of(tmp_path, [b'abc'])
    t['post_processor'] = {'type': 'TemplateProcessing', 'single': [], 'pair': [], 'special_tokens': {}}
    (tmp_path / 'tokenizer.json').write_text(json.dumps(t))
    assert tokens_of(tmp_path, [b'abc']) == plain
