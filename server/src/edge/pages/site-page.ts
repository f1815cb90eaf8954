import type { FastifyReply, FastifyRequest } from 'fastify'
import { Html, html } from '../../base/formats/html.ts'
import { CONSOLE_PATH } from './console.ts'
import { type Packed, sendPacked } from './packed.ts'
import { findFileAddress, type SiteFile } from './site-files.ts'

export const SEARCH_PATH = '/docs/search'

/** A page may connect only to this server. */
export const SITE_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface SitePage {
  readonly title: string
  readonly body: Html
  /** The list of pages next to this one. On phones it is hidden and has a separate page. */
  readonly side?: Html
  /** The headings of the page. */
  readonly sections?: readonly { readonly id: string; readonly text: string }[]
  /** A tool in the header, after the search field. */
  readonly tool?: Html | false
  readonly scripts?: readonly SiteFile[]
  /** The text in the search field. */
  readonly query?: string
}

/** Renders a complete page about this server. */
export async function renderSitePage({
  title,
  body,
  side,
  sections = [],
  tool,
  scripts = [],
  query,
}: SitePage): Promise<string> {
  const style = await findFileAddress('page.css')
  const all: readonly SiteFile[] = ['page.js', ...scripts]
  const sources = await Promise.all(all.map(findFileAddress))
  return html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
${sources.map((source) => html`<script type="module" src="${source}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><nav class="pages" aria-label="Pages"><a class="brand" href="/">Countersign</a><a href="/docs/guides">Guides</a><a href="/docs">API reference</a><a href="${CONSOLE_PATH}/">Console</a></nav>${searchForm(query)}${tool}</header>
<div class="page">${side}${renderContents(sections)}<main id="main">${body}</main></div>
</body>
</html>
`.text
}

export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Packed): FastifyReply {
  return sendPacked(request, reply.header('Content-Security-Policy', SITE_PAGE_POLICY), page)
}

/** The form opens a results page. If scripts run, results appear while typing. */
function searchForm(query = ''): Html {
  return html`<form class="search" role="search" action="${SEARCH_PATH}"><input type="search" name="q" value="${query}" maxlength="100" aria-label="Search guides and operations" placeholder="Search (Ctrl K)" autocomplete="off" spellcheck="false"></form>`
}

function renderContents(sections: NonNullable<SitePage['sections']>): Html | false {
  const links = sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  return (
    links.length > 1 &&
    html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${links}</ul></details></nav>`
  )
}
