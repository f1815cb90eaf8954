import { MAJOR_OWNER_PERCENT } from '@countersign/contract/customers/verification-requirements'
import { type Html, html } from '../../../base/formats/html.ts'
import type { BeneficialOwnerRow } from '../../../storage/rows/verification.ts'
import { toBeneficialOwnerView } from '../../customers/beneficial-owners.ts'
import { replaceNamesWithLabels, toTyped } from './answers.ts'
import { listKnownSecrets, type RejectedInput } from './details-page.ts'
import { OWNER_FIELDS } from './fields.ts'
import { type Fault, renderCheckbox, renderFields, renderHiddenFields, renderSummary } from './form.ts'
import { renderReviewerNotes, renderStepPage, type Visit } from './layout.ts'
import { findStep, listMissing, type Progress } from './progress.ts'

export const WIDELY_HELD = 'isWidelyHeld'

/** Renders the owners entered so far, and asks whether there are others. */
export function renderOwnersPage(visit: Visit, progress: Progress, faults: readonly Fault[] = []): string {
  const { owners, customer } = progress.customerCase
  const totalShare = owners.reduce((sum, { ownership_percentage }) => sum + ownership_percentage, 0)
  const isShown = 100 - totalShare >= MAJOR_OWNER_PERCENT
  const reasons = listMissing(progress)
    .filter((entry) => findStep(progress, entry) === 'owners' && entry.type !== 'MISSING_BENEFICIAL_OWNER')
    .map((entry) => {
      const owner = owners.find(({ id }) => id === entry.resourceId)
      return owner ? `${formatOwnerName(owner)}: ${entry.reason}` : entry.reason
    })
  return renderStepPage(visit, progress, 'owners', {
    summary: renderSummary(faults, [{ name: WIDELY_HELD }]),
    content: html`${renderReviewerNotes(reasons)}
<p>Add everyone who holds ${MAJOR_OWNER_PERCENT} % or more of the business, and at least one person who controls it.</p>
${owners.length > 0 && html`<ul class="plain">${owners.map((owner) => renderOwnerCard(visit, owner))}</ul>`}
<p><a class="button second" href="${visit.base}/owner">${owners.length > 0 ? 'Add another person' : 'Add a person'}</a></p>
<form method="post" action="${visit.base}/owners">
${renderHiddenFields(visit.formToken)}
${
  isShown &&
  renderCheckbox(
    WIDELY_HELD,
    'true',
    `No other person holds ${MAJOR_OWNER_PERCENT} % or more`,
    customer.details.businessInfo?.isWidelyHeld === true,
  )
}
<div class="actions"><button>Continue</button></div>
</form>`,
  })
}

function renderOwnerCard({ base }: Visit, owner: BeneficialOwnerRow): Html {
  return html`<li class="card"><div class="row"><div><h3>${formatOwnerName(owner)}</h3><p class="soft">${describeOwner(owner)}</p></div>
<a class="link" href="${base}/owner?id=${owner.id}">Change<span class="hidden"> ${formatOwnerName(owner)}</span></a></div></li>`
}

export function formatOwnerName({ personal_info }: BeneficialOwnerRow): string {
  return `${personal_info.firstName} ${personal_info.lastName}`
}

const ROLES = OWNER_FIELDS.find(({ name }) => name === 'roles')?.choices

export function describeOwner({ ownership_percentage, roles }: BeneficialOwnerRow): string {
  const words = roles.map((role) => ROLES?.get(role)?.split(',')[0] ?? role)
  return [`${ownership_percentage} %`, ...words].join(' · ')
}

/** Renders the form to add or change a person who owns or controls the business. */
export function renderOwnerPage(
  visit: Visit,
  progress: Progress,
  owner: BeneficialOwnerRow | undefined,
  tried?: RejectedInput,
): string {
  const record = owner && toBeneficialOwnerView(owner)
  const faults = replaceNamesWithLabels(tried?.faults ?? [], OWNER_FIELDS)
  const filled = {
    typed: tried?.typed ?? toTyped(OWNER_FIELDS, record),
    shown: listKnownSecrets(OWNER_FIELDS, record),
    faults,
  }
  const action = owner ? `${visit.base}/owner?id=${owner.id}` : `${visit.base}/owner`
  return renderStepPage(visit, progress, 'owners', {
    title: owner ? formatOwnerName(owner) : 'Add a person',
    summary: renderSummary(faults, OWNER_FIELDS),
    content: html`<form method="post" action="${action}" novalidate>
${renderHiddenFields(visit.formToken, visit.newKey())}
${renderFields(OWNER_FIELDS, filled)}
<div class="actions"><button>Save this person</button><a class="link" href="${visit.base}/owners">Cancel</a></div>
</form>`,
  })
}
