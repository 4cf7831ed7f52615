#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
"""Checks the calls between the .c files of a room.

    call_cycles.py cycles ROOM [--allow "a.c b.c"]...
    call_cycles.py layers ROOM FOLDER...

cycles: no files call each other in a cycle. A file calls another one if it uses a non-static function that the other
one defines, also through an inline function of a header. --allow names the files of a cycle that is allowed: a cycle of
files that are all named there is no finding.
layers: with the folders of the room from the lowest to the highest, a file uses only headers and functions of its own
folder and of those before it. The folder "top" is the room itself. Public headers (include/) belong to no folder.
Prints every finding; the exit code is 1 if there is one.

C is read by a scanner that knows comments, strings, preprocessor lines and braces, and nothing else: a function is a
name with a parameter list before a brace outside of all braces. Bodies and initialisers use the names in them.
"""
import os
import re
import sys

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|->|\d[\w.]*|\S', re.S)
NAME = re.compile(r'[A-Za-z_]\w*$')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
LINES_OF_PREPROCESSOR = re.compile(r'^[ \t]*#[^\n]*(?:\\\n[^\n]*)*', re.M)


def tokens_of(text):
    """Names and punctuation, without comments and literals; a member after . or -> is no name."""
    tokens = []
    for token in TOKEN.findall(text):
        if token.startswith(('//', '/*')) or token[0] in '"\'':
            continue
        tokens.append('.member' if tokens and tokens[-1] in ('.', '->') and NAME.match(token) else token)
    return tokens


class Source:
    """A file: its includes, the functions it defines, the names it uses."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        self.includes = INCLUDE.findall(re.sub(r'/\*.*?\*/', '', text, flags=re.S))
        macros = [line for line in LINES_OF_PREPROCESSOR.findall(text) if re.match(r'[ \t]*#[ \t]*define', line)]
        code = tokens_of(LINES_OF_PREPROCESSOR.sub('', text))
        self.functions = {}  # non-static: name -> names in its body
        self.statics = {}
        self.uses = set()
        for macro in macros:
            self.uses.update(names_of(tokens_of(macro)))
        self.read(code)

    def read(self, code):
        """Only bodies and initialisers use a name; declarations and types do not."""
        head, depth, at = [], 0, 0
        while at < len(code):
            token = code[at]
            at += 1
            if token == ';' and depth == 0:
                if '=' in head:
                    self.uses.update(names_of(head[head.index('='):]))
                head = []
            elif token != '{':
                head.append(token)
                depth += (token in '([') - (token in ')]')
            else:
                end = end_of_braces(code, at)
                body, name = names_of(code[at:end]), function_of(head)
                if name:
                    table = self.statics if 'static' in head else self.functions
                    table[name] = body
                if name or '=' in head:
                    self.uses.update(body)
                if name:
                    head = []
                at = end


def names_of(tokens):
    return set(token for token in tokens if NAME.match(token))


def end_of_braces(code, at):
    depth = 1
    while depth and at < len(code):
        depth += (code[at] == '{') - (code[at] == '}')
        at += 1
    return at


def function_of(head):
    """The name of the function with this head; None if it is a type or an initialiser."""
    if '=' in head or 'typedef' in head or head[-1:] != [')']:
        return None
    at = head.index('(')
    return head[at - 1] if at and NAME.match(head[at - 1]) else None


class Room:
    def __init__(self, root):
        self.name = os.path.basename(os.path.normpath(root))
        self.sources = {}
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(name for name in folders if name != 'include')
            for name in sorted(files):
                if name.endswith(('.c', '.h')):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    self.sources[path] = Source(root, path)
        self.definers = {}
        self.inlines = {}
        for path, source in self.sources.items():
            if path.endswith('.c'):
                for name in source.functions:
                    self.definers.setdefault(name, path)
            else:
                self.inlines.update(source.statics)

    def calls_of(self, path):
        """Functions that other .c files define and this file uses: {name: file}."""
        source = self.sources[path]
        names, waiting = set(), sorted(source.uses)
        while waiting:
            name = waiting.pop()
            if name not in names and name not in source.statics:
                names.add(name)
                waiting.extend(self.inlines.get(name, ()))
        own = source.functions if path.endswith('.c') else {}
        return {name: self.definers[name] for name in sorted(names) if name in self.definers and name not in own}

    def edges(self):
        """{file: {file it calls: [functions]}}"""
        edges = {}
        for path in self.sources:
            if path.endswith('.c'):
                called = edges.setdefault(path, {})
                for name, definer in self.calls_of(path).items():
                    called.setdefault(definer, []).append(name)
        return edges

    def resolve(self, path, include):
        """The path of a private header in this room; None for others."""
        for folder in (os.path.dirname(path), ''):
            candidate = os.path.normpath(os.path.join(folder, include))
            if candidate in self.sources:
                return candidate
        return None


# ------------------------------------------------------------------------------------------------------------- cycles

def reachable(edges, start):
    seen, waiting = set(), list(edges[start])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(edges[node])
    return seen


def groups_of_cycles(edges):
    """Files that all reach each other, largest group first."""
    reach = {node: reachable(edges, node) for node in edges}
    groups, placed = [], set()
    for node in sorted(edges):
        if node in placed or node not in reach[node]:
            continue
        group = sorted(other for other in reach[node] if node in reach[other])
        placed.update(group)
        groups.append(group)
    return sorted(groups, key=lambda group: (-len(group), group))


def shortest_cycle(edges, group):
    best = None
    for start in group:
        paths, waiting = {start: [start]}, [start]
        while waiting and (best is None or len(paths[waiting[0]]) < len(best)):
            node = waiting.pop(0)
            if start in edges[node]:
                best = paths[node]
                break
            for other in sorted(edges[node]):
                if other in group and other not in paths:
                    paths[other] = paths[node] + [other]
                    waiting.append(other)
    return best


def check_cycles(room, allowed):
    edges = room.edges()
    wrong = 0
    for group in groups_of_cycles(edges):
        if any(set(group) <= files for files in allowed):
            print('%s: an allowed cycle of %d files: %s' % (room.name, len(group), ' '.join(group)))
            continue
        wrong += 1
        print('%s: %d files call each other: %s' % (room.name, len(group), ' '.join(group)))
        cycle = shortest_cycle(edges, group)
        for caller, called in zip(cycle, cycle[1:] + cycle[:1]):
            print('    %s calls %s: %s' % (caller, called, ', '.join(edges[caller][called])))
    print('%s: %d cycles in %d files' % (room.name, wrong, len(edges)))
    return wrong


# ------------------------------------------------------------------------------------------------------------- layers

def folder_of(path):
    return os.path.dirname(path).split(os.sep)[0] or 'top'


def check_layers(room, folders):
    rank = {folder: number for number, folder in enumerate(folders)}
    findings = []
    for path, source in sorted(room.sources.items()):
        own = folder_of(path)
        if own not in rank:
            findings.append('%s: its folder is not in the list: %s' % (path, ' '.join(folders)))
            continue
        for include in source.includes:
            header = room.resolve(path, include)
            if header and rank.get(folder_of(header), len(rank)) > rank[own]:
                findings.append('%s includes %s: %s is above %s' % (path, header, folder_of(header), own))
        for name, definer in room.calls_of(path).items():
            if rank.get(folder_of(definer), len(rank)) > rank[own]:
                findings.append('%s calls %s of %s: %s is above %s' % (path, name, definer, folder_of(definer), own))
    for finding in findings:
        print('%s: %s' % (room.name, finding))
    print('%s: %d uses of a folder above in %d files' % (room.name, len(findings), len(room.sources)))
    return len(findings)


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in ('cycles', 'layers') or not os.path.isdir(arguments[1]):
        print(__doc__, file=sys.stderr)
        return 2
    room = Room(arguments[1])
    if arguments[0] == 'layers':
        return int(check_layers(room, arguments[2:]) > 0)
    options = arguments[2:]
    if len(options) % 2 or any(option != '--allow' for option in options[::2]):
        print(__doc__, file=sys.stderr)
        return 2
    return int(check_cycles(room, [set(files.split()) for files in options[1::2]]) > 0)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
