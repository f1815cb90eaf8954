import { Html, html } from '../../base/formats/html.ts'

/** Renders a description as paragraphs. Its only markup is `code` and blank lines. */
export function renderProse(text: string | undefined): Html {
  const paragraphs = (text ?? '').split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '')
  return html`${paragraphs.map((paragraph) => html`<p>${renderInline(paragraph)}</p>`)}`
}

/** Renders a description on one line. */
export function renderInline(text: string): Html {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** Renders a link to an error if the text starts with its code, as in `QUOTE_EXPIRED: …`. */
export function renderErrorRow(text: string, errorPage: string): Html {
  const match = /^`([A-Z][A-Z\d_]+)`: (.*)$/s.exec(text)
  if (!match) return html`<tr><td colspan="2">${renderInline(text)}</td></tr>`
  const [, code = '', message = ''] = match
  return html`<tr><td><a href="${errorPage}#${code}"><code>${code}</code></a></td><td>${renderInline(message)}</td></tr>`
}

export function joinHtml(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator))
}
