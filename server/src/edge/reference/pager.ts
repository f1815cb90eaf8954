import { type Html, html } from '../../base/formats/html.ts'

interface Link {
  readonly address: string
  readonly title: string
}

/** Links to the previous and the next page. */
export function renderPager(previous: Link | undefined, next: Link | undefined): Html {
  return html`<nav class="pager" aria-label="Previous and next page">${
    previous &&
    html`<a rel="prev" href="${previous.address}"><span class="soft">Previous</span> ${previous.title}</a>`
  }${next && html`<a rel="next" href="${next.address}"><span class="soft">Next</span> ${next.title}</a>`}</nav>`
}
