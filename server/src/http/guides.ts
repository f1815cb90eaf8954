import type { FastifyInstance } from 'fastify'
import { html } from '../formats/html.ts'
import { ApiError } from '../op/operation.ts'
import { docsFile, docsNames } from './docs-folder.ts'
import type { GuideHtml } from './guide-html.ts'
import { sendError } from './refuse.ts'
import { SITE_PAGE_POLICY, sitePage } from './site-page.ts'

export const GUIDES_PATH = '/docs/guides'

/** Where each guide of a list begins. The rest is reached from them. */
const LISTED = /^(?!README|specification-index)[^/]+\.md$|^connectors\/[^/]+\.md$/

/** Serves the guides of `docs/` as pages, each made at its first request. */
export function addGuides(server: FastifyInstance): void {
  let names: Promise<ReadonlySet<string>> | undefined
  const allNames = () => (names ??= docsNames().then((all) => new Set(all.filter(isShown))))
  const pages = new Map<string, Promise<string>>()
  const pageOf = (name: string, known: ReadonlySet<string>) => {
    const page = pages.get(name) ?? guidePage(name, known)
    pages.set(name, page)
    page.catch(() => pages.delete(name))
    return page
  }
  let list: Promise<string> | undefined
  server.get(GUIDES_PATH, async (_request, reply) => {
    list ??= listPage(await allNames())
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', SITE_PAGE_POLICY)
      .send(await list)
  })
  server.get<{ Params: { '*': string } }>(`${GUIDES_PATH}/*`, async (request, reply) => {
    const known = await allNames()
    const asked = request.params['*']
    if (known.has(asked) && asked.endsWith('.json'))
      return reply.type('application/json; charset=utf-8').send(await docsFile(asked))
    const name = `${asked}.md`
    if (!known.has(name))
      return sendError(reply, new ApiError('NOT_FOUND', { message: 'There is no such guide.' }))
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', SITE_PAGE_POLICY)
      .send(await pageOf(name, known))
  })
}

/** What the reference page is made of is served by it. */
const isShown = (name: string) => /\.(?:md|json)$/.test(name) && !name.startsWith('reference/')

function addressIn(known: ReadonlySet<string>) {
  return (name: string) => (known.has(name) ? `${GUIDES_PATH}/${name.replace(/\.md$/, '')}` : undefined)
}

/** The library that reads Markdown is loaded when the first guide is asked for. */
async function readGuide(name: string, known: ReadonlySet<string>): Promise<GuideHtml> {
  const { guideHtml } = await import('./guide-html.ts')
  return guideHtml(await docsFile(name), name, addressIn(known))
}

async function guidePage(name: string, known: ReadonlySet<string>): Promise<string> {
  const { title, body, sections } = await readGuide(name, known)
  const links = sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  const contents = html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${links}</ul></details><p>On this page</p><ul>${links}</ul></nav>`
  return sitePage(`${title} – Countersign`, body, sections.length > 1 ? contents : undefined)
}

async function listPage(known: ReadonlySet<string>): Promise<string> {
  const names = [...known].filter((name) => LISTED.test(name))
  const guides = await Promise.all(names.map(async (name) => ({ name, ...(await readGuide(name, known)) })))
  guides.sort((one, other) => rank(one.name) - rank(other.name) || one.title.localeCompare(other.title))
  const items = guides.map(
    ({ name, title, introduction }) =>
      html`<li><a href="${addressIn(known)(name)}">${title}</a><br><span class="soft">${introduction}</span></li>`,
  )
  return sitePage('Guides – Countersign', html`<h1>Guides</h1><ul class="places">${items}</ul>`)
}

/** The first payment comes first, and what only a bank's developer reads last. */
const rank = (name: string) => (name === 'first-payment.md' ? 0 : name.startsWith('connectors/') ? 2 : 1)
