"""The page as text: one file that fetches nothing, and in which text from bots stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from typing import get_args

import pytest

from arena.pages.book import book
from arena.pages.page import Kind, is_report, page_of
from arena.pages.report.building import report_of
from arena.pages.scripts import modules_of, read_asset
from arena.pages.site_files import site_files
from arena.words import LANGUAGES
from tests.fixtures.clauses import CLAUSES
from tests.fixtures.report_runs import HOSTILE, long_run


@cache
def page() -> str:
    """The report of a run in which every free text is hostile."""
    return page_of(report_of(long_run(turn_limit=20), games="all"))


def data_in(text: str) -> str:
    [found] = re.findall(
        r'<script type="application/json" id="report">(.*?)</script>', text, flags=re.DOTALL
    )
    assert isinstance(found, str)
    return found


def test_no_tag_begins_in_the_data() -> None:
    """Whatever a bot calls itself stands there as JSON without angle brackets."""
    data = data_in(page())
    assert not set("<>&") & set(data)
    assert json.loads(data)["run"]["name"] == HOSTILE
    assert HOSTILE not in page()


def test_the_policy_allows_nothing_but_the_one_script_and_the_one_style() -> None:
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page())
    [style] = re.findall(r"<style>(.*?)</style>", page(), flags=re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", page(), flags=re.DOTALL)
    for kind, text in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_nothing_is_fetched() -> None:
    own = page().replace(data_in(page()), "")
    addresses = set(re.findall(r"https?://[^\s\"']+", own))
    assert addresses == {
        "http://www.w3.org/2000/svg"
    }  # the name of a vocabulary, fetched by nobody
    # shades are in the board itself
    assert not re.search(r"""\ssrc="(?!data:)|url\((?!"(?:#|data:))""", own)
    [style] = re.findall(r"<style>(.*?)</style>", own, flags=re.DOTALL)
    assert "@import" not in style


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_the_rules_and_each_link_in_them_leads_somewhere(language: str) -> None:
    template = rf'<template id="book-{language}">(.*?)</template>'
    [book] = re.findall(template, page(), flags=re.DOTALL)
    places = re.findall(r'id="([^"]*)"', book)
    assert len(places) == len(set(places))
    assert {f"book-{clause}" for clause in CLAUSES} <= set(places)
    links = set(re.findall(r"<a\b[^>]*>", book)) - {"<a>"}  # plain text, where it leads elsewhere
    targets = set(re.findall(r'<a href="#([^"]*)">', book))
    assert len(targets) == len(links) > 10
    assert targets <= set(places)


def test_the_swedish_chapters_have_all_that_the_english_ones_have() -> None:
    """Clauses in their order with their examples, headings, rows and boards."""
    english, swedish = (book(language) for language in LANGUAGES)
    for mark in (r'id="book-([BGMT][\d.]+)"', r"<h[1-4]", r"<blockquote", r"<pre", r"\[[CVSF]\]"):
        in_rules = [
            re.findall(mark, text.partition('id="book-rules"')[2]) for text in (english, swedish)
        ]
        assert in_rules[0] == in_rules[1], mark
    assert "The " not in swedish.partition('id="book-rules"')[2].replace("The Board", "")


def test_scripts_make_text_and_never_markup() -> None:
    own = page().replace(data_in(page()), "")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", own
    )
    # the book is markup of the documentation, which a live page asks its server for
    assert [name for name in modules_of("report.js") if "DOMParser" in read_asset(name)] == [
        "book.js"
    ]


def test_a_report_is_known_by_its_beginning() -> None:
    """So that no other file is written over."""
    assert is_report(page().encode()[:2000])
    assert not is_report(b"<!doctype html><title>my page</title>")


def test_every_part_of_the_script_is_in_the_page() -> None:
    used = {name for kind in ("report", *get_args(Kind)) for name in modules_of(f"{kind}.js")}
    scripts = {name for name in site_files() if name.endswith(".js")}
    assert scripts == used | {"words.en.js", "words.sv.js"}
    assert "@@" not in page().replace(data_in(page()), "")
