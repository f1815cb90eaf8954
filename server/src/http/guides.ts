import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../formats/html.ts'
import { ApiError } from '../op/operation.ts'
import { docsFile, docsNames } from './docs-folder.ts'
import type { GuideHtml } from './guide-html.ts'
import { sendError } from './refuse.ts'
import { SITE_PAGE_POLICY, sitePage } from './site-page.ts'

export const GUIDES_PATH = '/docs/guides'

/** Where each guide of a list begins. The rest is reached from them. */
const LISTED = /^(?!README|specification-index)[^/]+\.md$|^connectors\/[^/]+\.md$/

/** The files that are shown, each with its title; a file that is no page has none. */
type Shown = ReadonlyMap<string, string>

/** Serves the guides of `docs/` as pages, each made at its first request. */
export function addGuides(server: FastifyInstance): void {
  const shownOf = once(findShown)
  const pageOf = once(async (name: string) => guidePage(name, await shownOf('')))
  const listOf = once(async () => listPage(await shownOf('')))
  const send = (reply: FastifyReply, page: string) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', SITE_PAGE_POLICY).send(page)
  server.get(GUIDES_PATH, async (_request, reply) => send(reply, await listOf('')))
  server.get<{ Params: { '*': string } }>(`${GUIDES_PATH}/*`, async (request, reply) => {
    const shown = await shownOf('')
    const asked = request.params['*']
    if (asked.endsWith('.json') && shown.has(asked))
      return reply.type('application/json; charset=utf-8').send(await docsFile(asked))
    if (shown.has(`${asked}.md`)) return send(reply, await pageOf(`${asked}.md`))
    return sendError(reply, new ApiError('NOT_FOUND', { message: 'There is no such guide.' }))
  })
}

/** Keeps what was made for each name, but no failure. */
function once<T>(make: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (name) => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    known.catch(() => made.delete(name))
    return known
  }
}

/** What the reference page is made of is served by it. */
async function findShown(): Promise<Shown> {
  const names = (await docsNames()).filter(
    (name) => /\.(?:md|json)$/.test(name) && !name.startsWith('reference/'),
  )
  const titled = async (name: string) => {
    const title = name.endsWith('.md') ? /^# (.+)$/m.exec(await docsFile(name))?.[1] : undefined
    return [name, title?.replaceAll('`', '') ?? ''] as const
  }
  return new Map(await Promise.all(names.map(titled)))
}

const addressOf = (name: string) => `${GUIDES_PATH}/${name.replace(/\.md$/, '')}`

/** The library that reads Markdown is loaded when the first guide is asked for. */
async function readGuide(name: string, shown: Shown): Promise<GuideHtml> {
  const { guideHtml } = await import('./guide-html.ts')
  return guideHtml(await docsFile(name), name, (other) => {
    const title = shown.get(other)
    return title === undefined ? undefined : { address: addressOf(other), title }
  })
}

async function guidePage(name: string, shown: Shown): Promise<string> {
  const { title, body, sections } = await readGuide(name, shown)
  const links = sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  const contents = html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${links}</ul></details><p>On this page</p><ul>${links}</ul></nav>`
  return sitePage(`${title} – Countersign`, body, sections.length > 1 ? contents : undefined)
}

async function listPage(shown: Shown): Promise<string> {
  const names = [...shown.keys()].filter((name) => LISTED.test(name))
  const guides = await Promise.all(names.map(async (name) => ({ name, ...(await readGuide(name, shown)) })))
  guides.sort((one, other) => rank(one.name) - rank(other.name) || one.title.localeCompare(other.title))
  const items = guides.map(
    ({ name, title, introduction }) =>
      html`<li><a href="${addressOf(name)}">${title}</a><br><span class="soft">${introduction}</span></li>`,
  )
  return sitePage('Guides – Countersign', html`<h1>Guides</h1><ul class="places">${items}</ul>`)
}

/** The first payment comes first, and what only a bank's developer reads last. */
const rank = (name: string) => (name === 'first-payment.md' ? 0 : name.startsWith('connectors/') ? 2 : 1)
