import { Html, html } from '../../../base/formats/html.ts'
import type { KycLinkRow } from '../../../storage/rows/kyc-link.ts'
import { getPlatformConfig } from '../../platforms/platform-config.ts'
import { getLinkUuid, KYC_PAGE_PATH, type UsedLink } from '../kyc-links.ts'
import { makeFormToken } from './form.ts'
import { listSteps, type Progress, type Step } from './progress.ts'
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
    base: buildSessionPath(link),
    formToken: makeFormToken(secret, link.id),
    app: getPlatformConfig(op).embeddedWalletConfig.appName,
    newKey: () => Buffer.from(op.random(KEY_BYTES)).toString('base64url'),
  }
}

/** Builds the URL path of a link's session. */
export function buildSessionPath(link: Pick<KycLinkRow, 'id'>): string {
  return `${KYC_PAGE_PATH}session/${getLinkUuid(link)}`
}

const SHIELD = new Html(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round" aria-hidden="true"><path d="M12 3 4.5 6v5.5c0 4.6 3.1 8 7.5 9.5 4.4-1.5 7.5-4.9 7.5-9.5V6z"/><path d="m8.8 12 2.3 2.3 4.2-4.4"/></svg>',
)

/** Renders a complete HTML page. Screen readers announce `title`, the title of the window. */
export function renderPage(title: string, app: string | undefined, body: Html): string {
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
<a class="skip" href="#main">Skip to main content</a>
<header><div>${SHIELD}<p class="name"><strong>${app ?? 'Verification'}</strong><span>Identity verification</span></p></div></header>
<main id="main">
${body}
</main>
<footer><p>Your documents are stored encrypted. They are used to verify your identity.</p></footer>
</body>
</html>
`.text
}

const TITLES: Readonly<Record<Step, Readonly<Record<'INDIVIDUAL' | 'BUSINESS', string>>>> = {
  details: { INDIVIDUAL: 'Your details', BUSINESS: 'Details of the business' },
  owners: { INDIVIDUAL: 'Owners', BUSINESS: 'Owners of the business' },
  documents: { INDIVIDUAL: 'Your documents', BUSINESS: 'Documents' },
  review: { INDIVIDUAL: 'Check your answers', BUSINESS: 'Check your answers' },
}

export function getTitle({ customerCase }: Progress, step: Step): string {
  return TITLES[step][customerCase.customer.customer_type]
}

const WIDTHS: Readonly<Record<number, readonly string[]>> = {
  2: ['w2', 'w4'],
  3: ['t1', 't2', 'w4'],
  4: ['w1', 'w2', 'w3', 'w4'],
}

/** Renders the page of one step: progress bar, faults, heading and content. */
export function renderStepPage(
  visit: Visit,
  progress: Progress,
  step: Step,
  {
    summary,
    content,
    title = getTitle(progress, step),
  }: { summary?: Html | undefined; content: Html; title?: string },
): string {
  const steps = listSteps(progress)
  const index = Math.max(0, steps.indexOf(step))
  const previousStep = steps[index - 1]
  const body = html`${previousStep && html`<a class="link" href="${visit.base}/${previousStep}">Back</a>`}
<p class="step">Step ${index + 1} of ${steps.length}</p>
<div class="bar" aria-hidden="true"><i class="${WIDTHS[steps.length]?.[index] ?? 'w4'}"></i></div>
${summary}<h1>${title}</h1>
${content}`
  return renderPage(`${summary ? 'Error: ' : ''}${title}`, visit.app, body)
}

/** Renders the requests of a reviewer. */
export function renderReviewerNotes(reasons: readonly string[]): Html | false {
  return (
    reasons.length > 0 &&
    html`<div class="note"><h3>We reviewed your information and need more</h3>${reasons.map((reason) => html`<p>${reason}</p>`)}</div>`
  )
}
