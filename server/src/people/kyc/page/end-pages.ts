import { type Html, html } from '../../../base/formats/html.ts'
import { valueAt } from '../../../base/json/paths.ts'
import type { CustomerRow } from '../../../storage/rows/tables.ts'
import { customerView } from '../../customers/customers.ts'
import { countryName } from './countries.ts'
import { detailsFields, listKnownSecrets } from './details-page.ts'
import { describeDocument } from './document-page.ts'
import type { Field } from './fields.ts'
import { type Fault, renderHiddenFields, summary } from './form.ts'
import { page, stepPage, type Visit } from './layout.ts'
import { describeOwner, nameOf } from './owner-pages.ts'
import {
  holderName,
  isUnverifiedContact,
  listMissing,
  type Progress,
  type Stage,
  stepsOf,
} from './progress.ts'
import { dateText, joinWords } from './words.ts'

/** Shows everything entered, for review before it is submitted. */
export function reviewPage(visit: Visit, progress: Progress, faults: readonly Fault[] = []): string {
  const { owners, documents } = progress.one
  const has = new Set(stepsOf(progress))
  return stepPage(visit, progress, 'review', {
    summary: summary(faults, []),
    content: html`${card(visit, 'details', 'Details', detailsList(progress))}
${
  has.has('owners') &&
  card(
    visit,
    'owners',
    'Owners',
    html`<dl>${owners.map((owner) => line(nameOf(owner), describeOwner(owner)))}</dl>`,
  )
}
${
  has.has('documents') &&
  card(
    visit,
    'documents',
    'Documents',
    html`<dl>${documents.map((one) => line(holderName(progress, one.holder_id), describeDocument(one)))}</dl>`,
  )
}
<form method="post" action="${visit.base}/review">
${renderHiddenFields(visit.formToken)}
<p>By sending this you confirm that it is complete and true.</p>
<div class="actions"><button>Confirm and send</button></div>
</form>`,
  })
}

function card({ base }: Visit, step: string, title: string, content: Html): Html {
  return html`<section class="card"><div class="row"><h2 class="first">${title}</h2>
<a class="link" href="${base}/${step}">Change<span class="hidden"> ${title.toLowerCase()}</span></a></div>${content}</section>`
}

function line(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

function detailsList(progress: Progress): Html {
  const record = customerView(progress.one.customer)
  const fields = detailsFields(progress)
  const secrets = listKnownSecrets(fields, record)
  const lines = fields.flatMap((field) => {
    const value = secrets.get(field.name) ?? formatValue(field, valueAt(record, field.name))
    return value === '' ? [] : [line(field.label, value)]
  })
  return html`<dl>${lines}</dl>`
}

function formatValue({ kind, choices }: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'date') return dateText(String(value))
  if (kind === 'country') return countryName(String(value))
  if (kind === 'countries' && Array.isArray(value))
    return joinWords(
      value.map((code) => countryName(String(code))),
      'and',
    )
  return choices?.get(String(value)) ?? String(value)
}

/** Shows the state of the verification when there is nothing to enter. */
export function statusPage(visit: Visit, stage: Exclude<Stage, 'open'>): string {
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
  return page(
    title,
    app,
    html`<h1>${title}</h1><div class="note${stage !== 'rejected' && ' done'}"><p>${text}</p></div>${back(visit)}`,
  )
}

/** Lists requirements that this page cannot meet, because the platform verifies contacts. */
export function obstaclePage(visit: Visit, progress: Progress): string {
  const { app } = visit
  const contacts = listMissing(progress)
    .filter((entry) => isUnverifiedContact(progress, entry))
    .map(({ field }) => (field === 'email' ? 'e-mail address' : 'phone number'))
  const title = 'One thing first'
  return page(
    title,
    app,
    html`<h1>${title}</h1><div class="note"><p>Your ${joinWords(contacts, 'and')} must be confirmed with ${app} before this can be sent. What you have entered here is kept.</p></div>${back(visit)}`,
  )
}

function back({ link, app }: Visit): Html | false {
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
 * The page of a link before it is opened. Link previews by programs see this page without opening the link.
 */
export function beginPage(
  path: string,
  app: string,
  formToken: string,
  type: CustomerRow['customer_type'],
): string {
  const title = type === 'BUSINESS' ? 'Verify your business' : 'Verify who you are'
  return page(
    title,
    app,
    html`<h1>${title}</h1>
<p>${app} has to know who ${type === 'BUSINESS' ? 'owns and runs the business' : 'you are'} before you can continue. This takes a few minutes.</p>
<div class="card"><h2 class="first">Have ready</h2><ul>${TO_HAVE_READY[type].map((one) => html`<li>${one}</li>`)}</ul></div>
<p class="soft">Your answers are saved at every step. This link works once, and the page stays open for up to an hour.</p>
<form method="post" action="${path}">${renderHiddenFields(formToken)}<div class="actions"><button>Begin</button></div></form>`,
  )
}

/** A page for an address that does not exist or cannot be used. */
export function plainPage(title: string, text: string): string {
  return page(title, undefined, html`<h1>${title}</h1><p>${text}</p>`)
}
