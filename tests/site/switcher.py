"""The menu of languages as a mouse uses it."""

IS_OPEN = """language => {
    const link = document.querySelector(`.md-select__link[hreflang="${language}"]`), box = link.getBoundingClientRect()
    return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === link
}"""


def switch(page, language):
    """Choose a language in the header. The menu opens slowly, so Playwright's click would scroll the page."""
    page.hover(".md-header .md-select")
    page.wait_for_function(IS_OPEN, arg=language)
    box = page.locator(f'.md-select__link[hreflang="{language}"]').bounding_box()
    with page.expect_navigation():
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
