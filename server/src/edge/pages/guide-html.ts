import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { Html, html } from '../../base/formats/html.ts'
import { renderCodeBlock } from '../reference/code-block.ts'

interface Section {
  /** The fragment of the section's URL. */
  readonly id: string
  readonly text: string
}

/** The parts of a guide's page. */
export interface GuideHtml {
  readonly title: string
  /** The first sentence. */
  readonly introduction: string
  readonly sections: readonly Section[]
  readonly body: Html
}

/** A guide for lists and search. */
export interface GuideOutline extends Omit<GuideHtml, 'body'> {
  /** The text before the first section. */
  readonly words: string
  readonly sections: readonly (Section & { readonly words: string })[]
}

interface LinkTarget {
  readonly address: string
  /** Empty if the file is not a guide. */
  readonly title: string
}

type FindTarget = (name: string) => LinkTarget | undefined

/**
 * Renders the guide of `docs/` with the file name `name`. Links to files that `find` does not find become
 * text. If a link's text is a file name, the file's title is shown instead.
 */
export function renderGuideHtml(markdown: string, name: string, find: FindTarget): GuideHtml {
  return readGuide(markdown, name, find, renderCodeBlock)
}

const plainBlock = (code: string) => html`${code}`

/** The outline of a guide. Does not highlight code, which would take most of the time. */
export function readGuideOutline(markdown: string, name: string): GuideOutline {
  const { body, title, introduction, sections } = readGuide(markdown, name, () => undefined, plainBlock)
  const [words = '', ...others] = body.text
    .split(/<h2 [^>]*>/)
    .map((part) => toPlainText(part.replace(/<[^>]*>/g, ' ')))
  return {
    title,
    introduction,
    words,
    sections: sections.map((section, index) => ({ ...section, words: others[index] ?? '' })),
  }
}

function readGuide(
  markdown: string,
  name: string,
  find: FindTarget,
  block: typeof renderCodeBlock,
): GuideHtml {
  const sections: { id: string; text: string }[] = []
  const makeId = createIdGenerator()
  let title = name
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens)
        const text = toPlainText(inner)
        const id = makeId(text)
        if (depth === 1) title = text
        if (depth === 2) sections.push({ id, text })
        return `${makeAnchor(text)}<h${depth} id="${id}">${inner}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const to = resolveTarget(href, name, find)
        if (!to) return inner
        const text = /^(?:<code>)?[\w./-]+\.md(?:<\/code>)?$/.test(inner) && to.title
        return html`<a href="${to.address}">${text || new Html(inner)}</a>`.text
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: 'td' | 'th') =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const rows = token.rows.map((row) => cells(row, 'td')).join('\n')
        return `<div class="table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`
      },
      code: ({ text, lang }: Tokens.Code) => block(text, lang).text,
      // The only HTML in guides is the markers of generated tables.
      html: () => '',
    },
  })
  const body = new Html(marked.parse(markdown, { async: false }))
  return { title, introduction: findIntroduction(body.text), body, sections }
}

/** A guide as Markdown, with the links of `renderGuideHtml` and without the markers of generated tables. */
export function renderGuideMarkdown(markdown: string, name: string, find: FindTarget): string {
  const parts = markdown.split(/(^```.*?^```$)/ms)
  const texts = parts.map((part) =>
    part.startsWith('```')
      ? part
      : part
          .replace(/<!--.*?-->\n+/gs, '')
          .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, text: string, href: string) => {
            const to = resolveTarget(href.startsWith('#') ? posix.basename(name) + href : href, name, find)
            return to ? `[${text}](${to.address})` : text
          }),
  )
  return texts.join('')
}

const findIntroduction = (body: string) =>
  /^.*?[.:](?=\s|$)/s.exec(toPlainText(/<p>(.*?)<\/p>/s.exec(body)?.[1] ?? ''))?.[0].replace(/:$/, '.') ?? ''

function resolveTarget(href: string, name: string, find: FindTarget): LinkTarget | undefined {
  if (/^https?:|^#/.test(href)) return { address: href, title: '' }
  const [path = '', fragment] = href.split('#', 2)
  const linkedGuide = find(posix.join(posix.dirname(name), path).replace(/\/$/, '/README.md'))
  return linkedGuide && fragment !== undefined
    ? { ...linkedGuide, address: `${linkedGuide.address}#${fragment}` }
    : linkedGuide
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function toPlainText(inner: string): string {
  return inner
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => ENTITIES[entity] ?? '')
    .replaceAll(/\s+/g, ' ')
}

/** Error codes also get an anchor spelled as the code itself, in addition to the lower-case fragment. */
const makeAnchor = (text: string) => (/^[A-Z][A-Z\d_]+$/.test(text) ? `<a id="${text}"></a>` : '')

/** Generates fragments like common Markdown renderers, so that links into guides work here too. */
function createIdGenerator(): (text: string) => string {
  const counts = new Map<string, number>()
  return (text) => {
    const id = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
}
