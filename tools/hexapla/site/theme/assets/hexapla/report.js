/* The link at a page's foot that reports a mistake, at each section, with the section's id. */
{
  const report = document.querySelector("a[data-hx-report]");
  for (const heading of document.querySelectorAll("article :is(h2, h3)[id]")) {
    const address = new URL(report.href);
    for (const [name, value] of [...address.searchParams]) {
      address.searchParams.set(name, value.replace("\nSection:", `\nSection: #${heading.id}`));
    }
    const link = document.createElement("a");
    Object.assign(link, {className: "hx-report", href: address, title: report.dataset.hxReport, textContent: "⚑"});
    link.setAttribute("aria-label", report.dataset.hxReport);
    heading.append(link);
  }
}
