import { ERROR_PAGE } from '@countersign/contract/core/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../../base/formats/html.ts'
import type { App } from '../../kernel/operation/app.ts'
import { shownBasePath } from '../../kernel/operation/base-path.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { sendError } from '../http/response/refuse.ts'
import { docsFile, docsNames } from './docs-folder.ts'
import type { GuideHtml } from './guide-html.ts'
import { once } from './once.ts'
import { SITE_PAGE_POLICY, sitePage } from './site-page.ts'

/** The guide with the meaning of every code, to which errors lead. */
const ERROR_GUIDE = 'errors.md'

export const GUIDES_PATH = '/docs/guides'
const ALL_GUIDES_PATH = '/docs/guides.md'

/** Where each guide of a list begins. The rest is reached from them. */
const LISTED = /^(?!README|specification-index)[^/]+\.md$|^connectors\/[^/]+\.md$/

/** The titles of the files that are shown. A JSON file has an empty title. */
type Shown = ReadonlyMap<string, string>

/**
 * Serves the guides of `docs/` as pages and as Markdown, each made at its first request, and for programs that read: an index
 * and one file with all guides.
 */
export function addGuides(server: FastifyInstance, app: App): void {
  const shownOf = once(findShown)
  const pageOf = once(async (name: string) => guidePage(name, await shownOf()))
  const listOf = once(async () => listPage(await shownOf()))
  const send = (reply: FastifyReply, page: string) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', SITE_PAGE_POLICY).send(page)
  server.get(ERROR_PAGE, async (_request, reply) => send(reply, await pageOf(ERROR_GUIDE)))
  const sendText = (reply: FastifyReply, type: string, text: string) =>
    reply.type(`text/${type}; charset=utf-8`).send(text)
  const allOf = once(async () => allGuides(await shownOf()))
  const indexOf = once(async (origin: string) => llmsText(app, origin, await shownOf()))
  server.get('/llms.txt', async (_request, reply) => sendText(reply, 'plain', await indexOf(app.origin())))
  server.get(ALL_GUIDES_PATH, async (_request, reply) => sendText(reply, 'markdown', await allOf()))
  server.get(GUIDES_PATH, async (_request, reply) => send(reply, await listOf()))
  server.get<{ Params: { '*': string } }>(`${GUIDES_PATH}/*`, async (request, reply) => {
    const shown = await shownOf()
    const asked = request.params['*']
    if (asked.endsWith('.json') && shown.has(asked))
      return reply.type('application/json; charset=utf-8').send(await docsFile(asked))
    if (asked.endsWith('.md') && shown.has(asked))
      return sendText(reply, 'markdown', await guideText(asked, shown))
    if (shown.has(`${asked}.md`)) return send(reply, await pageOf(`${asked}.md`))
    return sendError(app, reply, new ApiError('NOT_FOUND', { message: 'Guide not found.' }))
  })
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

const addressOf = (name: string) =>
  name === ERROR_GUIDE ? ERROR_PAGE : `${GUIDES_PATH}/${name.replace(/\.md$/, '')}`

/** The library that reads Markdown is loaded when the first guide is asked for. */
async function readGuide(name: string, shown: Shown): Promise<GuideHtml> {
  const { guideHtml } = await import('./guide-html.ts')
  return guideHtml(await docsFile(name), name, finderOf(shown))
}

function finderOf(shown: Shown) {
  return (name: string) => {
    const title = shown.get(name)
    return title === undefined ? undefined : { address: addressOf(name), title }
  }
}

async function guidePage(name: string, shown: Shown): Promise<string> {
  const { title, body, sections } = await readGuide(name, shown)
  const links = sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  const contents = html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${links}</ul></details><p>On this page</p><ul>${links}</ul></nav>`
  return sitePage(`${title} – Countersign`, body, sections.length > 1 ? contents : undefined)
}

async function listedGuides(shown: Shown) {
  const names = [...shown.keys()].filter((name) => LISTED.test(name))
  const guides = await Promise.all(names.map(async (name) => ({ name, ...(await readGuide(name, shown)) })))
  return guides.sort(
    (one, other) => rank(one.name) - rank(other.name) || one.title.localeCompare(other.title),
  )
}

async function listPage(shown: Shown): Promise<string> {
  const items = (await listedGuides(shown)).map(
    ({ name, title, introduction }) =>
      html`<li><a href="${addressOf(name)}">${title}</a><br><span class="soft">${introduction}</span></li>`,
  )
  return sitePage('Guides – Countersign', html`<h1>Guides</h1><ul class="places">${items}</ul>`)
}

/** A guide as Markdown that is read without the repository: its links are addresses of this server. */
async function guideText(name: string, shown: Shown): Promise<string> {
  const { guideMarkdown } = await import('./guide-html.ts')
  return guideMarkdown(await docsFile(name), name, finderOf(shown))
}

async function allGuides(shown: Shown): Promise<string> {
  const guides = await listedGuides(shown)
  const texts = await Promise.all(guides.map(({ name }) => guideText(name, shown)))
  return texts.join('\n')
}

/** An index in the form of llms.txt, with absolute addresses. */
async function llmsText({ config }: App, origin: string, shown: Shown): Promise<string> {
  const guides = (await listedGuides(shown)).map(
    ({ name, title, introduction }) => `- [${title}](${origin}${GUIDES_PATH}/${name}): ${introduction}`,
  )
  return `# Countersign

> A self-hosted payments platform with embedded wallets: customers, accounts, payments, currencies, cards, agents and signed webhooks
> over one HTTP API. Amounts are integers in the smallest unit of their currency.

- [OpenAPI document](${origin}${shownBasePath(config)}/openapi.json): every endpoint with its schemas, errors and an example
- [All guides in one file](${origin}${ALL_GUIDES_PATH})

## Guides

${guides.join('\n')}
`
}

/** The first payment comes first, and what only a bank's developer reads last. */
const rank = (name: string) => (name === 'first-payment.md' ? 0 : name.startsWith('connectors/') ? 2 : 1)
