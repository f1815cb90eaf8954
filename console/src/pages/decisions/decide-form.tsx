import { findWord } from '@countersign/contract/core/objects'
import { PAYMENT_OUTCOMES, SETTLED_OUTCOMES } from '@countersign/contract/operation/payment-decisions'
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { type Amount, formatMoney } from '../../ui/money.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { isOwnedByPlatform, type TransactionRecord } from '../transactions/columns.tsx'
import { Confirmation } from './confirmation.tsx'
import { buildBody, type DecisionBody, type Draft, EMPTY_DRAFT, hasMoney, OUTCOME_WORDS } from './decision.ts'

interface DecideFormProps {
  readonly transaction: TransactionRecord
  readonly railEventId?: string
  readonly close: () => void
  readonly onDone: () => void
}

const DOCUMENTS_MAX = 100

/** Asks for the outcome, reason, evidence and charge, then for a confirmation with amount and payee. */
export function DecideForm({ transaction, railEventId, close, onDone }: DecideFormProps) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [confirming, setConfirming] = useState<DecisionBody>()
  const decide = useMutation({
    mutationFn: async (body: DecisionBody) => await countersign.transactions.decide(transaction.id, body),
    onSuccess: onDone,
  })
  const amount = transaction.receivedAmount ?? transaction.sentAmount
  if (!amount) return <p>This payment has no amount.</p>
  if (decide.isSuccess) return <Outcome status={decide.data.decision?.status} close={close} />
  if (confirming)
    return (
      <Confirmation
        transaction={transaction}
        amount={amount}
        body={confirming}
        isPending={decide.isPending}
        error={decide.error}
        back={() => setConfirming(undefined)}
        confirm={() => decide.mutate(confirming)}
      />
    )
  const body = buildBody(draft, amount.currency, railEventId)
  return (
    <Stack gap="md">
      <Fields
        draft={draft}
        change={setDraft}
        amount={amount}
        transaction={transaction}
        // A report is about the outcome.
        outcomes={railEventId === undefined ? PAYMENT_OUTCOMES : SETTLED_OUTCOMES}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={body === undefined} onClick={() => setConfirming(body)}>
          Continue
        </Button>
      </Group>
    </Stack>
  )
}

function Outcome({ status, close }: { readonly status: string | undefined; readonly close: () => void }) {
  return (
    <Stack gap="md">
      <span role="status">
        {status === 'DECIDED'
          ? 'The decision is recorded.'
          : 'Your vote is recorded. The decision takes effect once enough members agree.'}
      </span>
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly change: (draft: Draft) => void
  readonly amount: Amount
  readonly transaction: TransactionRecord
  readonly outcomes: typeof PAYMENT_OUTCOMES | typeof SETTLED_OUTCOMES
}

function Fields({ draft, change, amount, transaction, outcomes }: FieldsProps) {
  const { outcome, reason, note, lines, charge } = draft
  const set = (changes: Partial<Draft>) => change({ ...draft, ...changes })
  return (
    <>
      <NativeSelect
        label="Outcome"
        description={OUTCOME_WORDS[outcome].effect}
        data-autofocus
        value={outcome}
        onChange={({ currentTarget }) =>
          set({ outcome: findWord(PAYMENT_OUTCOMES, currentTarget.value) ?? outcome })
        }
        data={outcomes.map((outcome) => ({ value: outcome, label: OUTCOME_WORDS[outcome].label }))}
      />
      <Textarea
        label="Reason"
        description="Stored with the decision"
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => set({ reason: currentTarget.value })}
      />
      <Textarea
        label="Evidence: note"
        description="For example: who at the bank confirmed what, and when. A line or a document is also sufficient."
        autosize
        minRows={2}
        maxLength={1000}
        value={note}
        onChange={({ currentTarget }) => set({ note: currentTarget.value })}
      />
      {hasMoney(outcome) && (
        <>
          <TextInput
            label="Evidence: lines of a statement"
            description="StatementEntry:…, from the page of the day. They must add up to this payment and the charge."
            value={lines}
            onChange={({ currentTarget }) => set({ lines: currentTarget.value })}
          />
          <TextInput
            label={`Charge in ${amount.currency.code}`}
            description={`Bank charges on ${formatMoney(amount)}, which your platform pays`}
            inputMode="decimal"
            value={charge}
            onChange={({ currentTarget }) => set({ charge: currentTarget.value })}
          />
        </>
      )}
      {!isOwnedByPlatform(transaction) && (
        <DocumentChoice
          customerId={transaction.customerId}
          documentId={draft.documentId}
          choose={(documentId) => set({ documentId })}
        />
      )}
    </>
  )
}

interface DocumentChoiceProps {
  readonly customerId: string
  readonly documentId: string
  readonly choose: (documentId: string) => void
}

/** Lets the member choose one of the paying customer's documents. */
function DocumentChoice({ customerId, documentId, choose }: DocumentChoiceProps) {
  const { data } = useQuery({
    queryKey: ['documents', 'of', customerId],
    queryFn: () => countersign.documents.list({ documentHolder: customerId, limit: DOCUMENTS_MAX }),
  })
  const documents = data?.data ?? []
  if (documents.length === 0) return null
  return (
    <NativeSelect
      label="Evidence: document of the customer"
      value={documentId}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[
        { value: '', label: 'None' },
        ...documents.map(({ id, documentType, fileName }) => ({
          value: id,
          label: `${formatConstant(documentType)}: ${fileName}`,
        })),
      ]}
    />
  )
}
