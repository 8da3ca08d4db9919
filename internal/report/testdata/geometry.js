// Looks for what overlaps, overflows or leaves its image, at several widths.
const found = [];
const box = (e) => e.getBoundingClientRect();
const name = (e) => `${e.tagName.toLowerCase()} ${JSON.stringify(e.textContent.trim().slice(0, 40))}`;
const overlap = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
const pairs = (list, visit) => list.forEach((a, i) => list.slice(i + 1).forEach((b) => visit(a, b)));
let images = 0;

for (const width of [360, 800, 1280]) {
  document.documentElement.style.width = width + "px";
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest(".scroll") && !e.matches(".scroll")) continue;
    if (!e.matches(".scroll") && getComputedStyle(e).display !== "inline" && e.scrollWidth > e.clientWidth + 1) found.push(`${width}: ${name(e)} overflows`);
    if (box(e).right > width + 1 || box(e).left < -1) found.push(`${width}: ${name(e)} leaves the page`);
  }
  for (const e of document.querySelectorAll("td, th")) {
    if (e.scrollWidth > e.clientWidth + 1) found.push(`${width}: ${name(e)} overflows its cell`);
    const text = document.createRange();
    text.selectNodeContents(e);
    const lines = new Set([...text.getClientRects()].map((r) => r.top));
    if (/^[\d.]+[a-z%]*$/.test(e.textContent) && lines.size > 1) found.push(`${width}: ${name(e)} is broken`);
  }
  for (const parent of document.querySelectorAll("body, header, main, section, ul, ol, tr")) {
    pairs([...parent.children], (a, b) => {
      if (overlap(box(a), box(b))) found.push(`${width}: ${name(a)} overlaps ${name(b)}`);
    });
  }
  for (const image of document.querySelectorAll("svg")) {
    images++;
    const texts = [...image.querySelectorAll("text")];
    for (const e of image.querySelectorAll("text, rect, line, polyline")) {
      const outer = box(image), inner = box(e);
      if (inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5 || inner.top < outer.top - 0.5 || inner.bottom > outer.bottom + 0.5) found.push(`${width}: ${name(e)} leaves its image`);
    }
    pairs(texts, (a, b) => { if (overlap(box(a), box(b))) found.push(`${width}: ${name(a)} overlaps ${name(b)}`); });
    for (const text of texts) for (const bar of image.querySelectorAll(".run, .begin, .wait")) {
      if (overlap(box(text), box(bar))) found.push(`${width}: ${name(text)} overlaps a bar`);
    }
  }
}
document.body.innerHTML = "";
document.body.textContent = "images " + images + "\n" + found.join("\n") + "\nend";
