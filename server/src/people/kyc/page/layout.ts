import { Html, html } from '../../../base/formats/html.ts'
import type { KycLinkRow } from '../../../storage/rows/kyc-link.ts'
import { platformConfig } from '../../platforms/platform-config.ts'
import { KYC_PAGE_PATH, type UsedLink, uuidOf } from '../kyc-links.ts'
import { makeFormToken } from './form.ts'
import { type Progress, type Step, stepsOf } from './progress.ts'
import { STYLE } from './style.ts'

/** A visit to the page in a session. */
export interface Visit extends UsedLink {
  /** The URL path of the session, without a trailing slash. */
  readonly base: string
  readonly formToken: string
  /** The name of the platform's app. */
  readonly app: string
  /** Makes an idempotency key for a form. */
  readonly newKey: () => string
}

const KEY_BYTES = 16

export function toVisit({ op, link }: UsedLink, secret: string): Visit {
  return {
    op,
    link,
    base: sessionPath(link),
    formToken: makeFormToken(secret, link.id),
    app: platformConfig(op).embeddedWalletConfig.appName,
    newKey: () => Buffer.from(op.random(KEY_BYTES)).toString('base64url'),
  }
}

/** The URL path of a link's session. */
export function sessionPath(link: Pick<KycLinkRow, 'id'>): string {
  return `${KYC_PAGE_PATH}session/${uuidOf(link)}`
}

const SHIELD = new Html(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round" aria-hidden="true"><path d="M12 3 4.5 6v5.5c0 4.6 3.1 8 7.5 9.5 4.4-1.5 7.5-4.9 7.5-9.5V6z"/><path d="m8.8 12 2.3 2.3 4.2-4.4"/></svg>',
)

/** A complete HTML page. `title` is the title of the window, which screen readers announce. */
export function page(title: string, app: string | undefined, body: Html): string {
  return html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<title>${title}${app !== undefined && ` – ${app}`}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><div>${SHIELD}<p class="name"><strong>${app ?? 'Verification'}</strong><span>Verification of who you are</span></p></div></header>
<main id="main">
${body}
</main>
<footer><p>Your documents are stored encrypted. They are used to verify who you are.</p></footer>
</body>
</html>
`.text
}

const TITLES: Readonly<Record<Step, Readonly<Record<'INDIVIDUAL' | 'BUSINESS', string>>>> = {
  details: { INDIVIDUAL: 'Your details', BUSINESS: 'Details of the business' },
  owners: { INDIVIDUAL: 'Owners', BUSINESS: 'Owners of the business' },
  documents: { INDIVIDUAL: 'Your documents', BUSINESS: 'Documents' },
  review: { INDIVIDUAL: 'Check what you have entered', BUSINESS: 'Check what you have entered' },
}

export function getTitle({ one }: Progress, step: Step): string {
  return TITLES[step][one.customer.customer_type]
}

const WIDTHS: Readonly<Record<number, readonly string[]>> = {
  2: ['w2', 'w4'],
  3: ['t1', 't2', 'w4'],
  4: ['w1', 'w2', 'w3', 'w4'],
}

/** A page for one step, with the progress bar, the heading, the faults and the content. */
export function stepPage(
  visit: Visit,
  progress: Progress,
  step: Step,
  {
    summary,
    content,
    title = getTitle(progress, step),
  }: { summary?: Html | undefined; content: Html; title?: string },
): string {
  const steps = stepsOf(progress)
  const index = Math.max(0, steps.indexOf(step))
  const before = steps[index - 1]
  const body = html`${before && html`<a class="link" href="${visit.base}/${before}">Back</a>`}
<p class="step">Step ${index + 1} of ${steps.length}</p>
<div class="bar" aria-hidden="true"><i class="${WIDTHS[steps.length]?.[index] ?? 'w4'}"></i></div>
${summary}<h1>${title}</h1>
${content}`
  return page(`${summary ? 'Error: ' : ''}${title}`, visit.app, body)
}

/** Shows what a reviewer has requested. */
export function notes(reasons: readonly string[]): Html | false {
  return (
    reasons.length > 0 &&
    html`<div class="note"><h3>We looked at what you sent and need more</h3>${reasons.map((reason) => html`<p>${reason}</p>`)}</div>`
  )
}
