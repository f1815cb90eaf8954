import { type Html, html } from '../../../base/formats/html.ts'
import { getValueAt } from '../../../base/json/paths.ts'
import type { CustomerRow } from '../../../storage/rows/tables.ts'
import { toCustomerView } from '../../customers/customers.ts'
import { getCountryName } from './countries.ts'
import { listDetailsFields, listKnownSecrets } from './details-page.ts'
import { describeDocument } from './document-page.ts'
import type { Field } from './fields.ts'
import { type Fault, renderHiddenFields, renderSummary } from './form.ts'
import { renderPage, renderStepPage, type Visit } from './layout.ts'
import { describeOwner, formatOwnerName } from './owner-pages.ts'
import {
  formatHolderName,
  isUnverifiedContact,
  listMissing,
  listSteps,
  type Progress,
  type Stage,
} from './progress.ts'
import { formatDate, joinWords } from './words.ts'

/** Renders all entries for review before they are submitted. */
export function renderReviewPage(visit: Visit, progress: Progress, faults: readonly Fault[] = []): string {
  const { owners, documents } = progress.customerCase
  const steps = new Set(listSteps(progress))
  return renderStepPage(visit, progress, 'review', {
    summary: renderSummary(faults, []),
    content: html`${renderCard(visit, 'details', 'Details', renderDetailsList(progress))}
${
  steps.has('owners') &&
  renderCard(
    visit,
    'owners',
    'Owners',
    html`<dl>${owners.map((owner) => renderLine(formatOwnerName(owner), describeOwner(owner)))}</dl>`,
  )
}
${
  steps.has('documents') &&
  renderCard(
    visit,
    'documents',
    'Documents',
    html`<dl>${documents.map((one) => renderLine(formatHolderName(progress, one.holder_id), describeDocument(one)))}</dl>`,
  )
}
<form method="post" action="${visit.base}/review">
${renderHiddenFields(visit.formToken)}
<p>By sending this, you confirm that it is complete and true.</p>
<div class="actions"><button>Confirm and send</button></div>
</form>`,
  })
}

function renderCard({ base }: Visit, step: string, title: string, content: Html): Html {
  return html`<section class="card"><div class="row"><h2 class="first">${title}</h2>
<a class="link" href="${base}/${step}">Change<span class="hidden"> ${title.toLowerCase()}</span></a></div>${content}</section>`
}

function renderLine(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

function renderDetailsList(progress: Progress): Html {
  const record = toCustomerView(progress.customerCase.customer)
  const fields = listDetailsFields(progress)
  const secrets = listKnownSecrets(fields, record)
  const lines = fields.flatMap((field) => {
    const value = secrets.get(field.name) ?? formatValue(field, getValueAt(record, field.name))
    return value === '' ? [] : [renderLine(field.label, value)]
  })
  return html`<dl>${lines}</dl>`
}

function formatValue({ kind, choices }: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'date') return formatDate(String(value))
  if (kind === 'country') return getCountryName(String(value))
  if (kind === 'countries' && Array.isArray(value))
    return joinWords(
      value.map((code) => getCountryName(String(code))),
      'and',
    )
  return choices?.get(String(value)) ?? String(value)
}

/** Renders the state of a verification that needs no input. */
export function renderStatusPage(visit: Visit, stage: Exclude<Stage, 'open'>): string {
  const { app } = visit
  const texts: Readonly<Record<typeof stage, readonly [title: string, text: string]>> = {
    submitted: [
      'We have everything',
      `Your information is being checked. You do not need to do anything now. ${app} will tell you when it is done, or if something is missing.`,
    ],
    approved: ['You are verified', `The verification is complete. Go back to ${app} to continue.`],
    rejected: ['You could not be verified', `The verification was not successful. ${app} can tell you more.`],
  }
  const [title, text] = texts[stage]
  return renderPage(
    title,
    app,
    html`<h1>${title}</h1><div class="note${stage !== 'rejected' && ' done'}"><p>${text}</p></div>${renderBackLink(visit)}`,
  )
}

/** Renders the requirements that this page cannot meet: the platform verifies contacts. */
export function renderObstaclePage(visit: Visit, progress: Progress): string {
  const { app } = visit
  const contacts = listMissing(progress)
    .filter((entry) => isUnverifiedContact(progress, entry))
    .map(({ field }) => (field === 'email' ? 'e-mail address' : 'phone number'))
  const title = 'Confirm your contact details first'
  return renderPage(
    title,
    app,
    html`<h1>${title}</h1><div class="note"><p>Your ${joinWords(contacts, 'and')} must be confirmed with ${app} before you can send this. Your entries here are saved.</p></div>${renderBackLink(visit)}`,
  )
}

function renderBackLink({ link, app }: Visit): Html | false {
  return (
    link.redirect_uri !== null &&
    html`<div class="actions"><a class="button" href="${link.redirect_uri}" rel="noreferrer">Go back to ${app}</a></div>`
  )
}

const TO_HAVE_READY: Readonly<Record<CustomerRow['customer_type'], readonly string[]>> = {
  INDIVIDUAL: [
    "A passport, driver's licence or identity card. You can take pictures of it with this phone",
    'In some countries a document with your address, such as a bill',
  ],
  BUSINESS: [
    'The registration of the business and its tax number',
    'Its owners and controllers: names, addresses, tax numbers',
    'Documents that prove this. You can take pictures of them with this phone',
  ],
}

/**
 * Renders the page of a link before it is opened. Programs that preview links see it without opening the
 * link.
 */
export function renderBeginPage(
  path: string,
  app: string,
  formToken: string,
  type: CustomerRow['customer_type'],
): string {
  const title = type === 'BUSINESS' ? 'Verify your business' : 'Verify your identity'
  return renderPage(
    title,
    app,
    html`<h1>${title}</h1>
<p>${app} needs to know who ${type === 'BUSINESS' ? 'owns and runs the business' : 'you are'} before you can continue. This takes a few minutes.</p>
<div class="card"><h2 class="first">Have these ready</h2><ul>${TO_HAVE_READY[type].map((one) => html`<li>${one}</li>`)}</ul></div>
<p class="soft">Your answers are saved at every step. This link works once, and the page stays open for up to an hour.</p>
<form method="post" action="${path}">${renderHiddenFields(formToken)}<div class="actions"><button>Begin</button></div></form>`,
  )
}

/** Renders a page for an address that does not exist or cannot be used. */
export function renderPlainPage(title: string, text: string): string {
  return renderPage(title, undefined, html`<h1>${title}</h1><p>${text}</p>`)
}
