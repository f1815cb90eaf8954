import { countersign } from '../../data/client.ts'
import { type Amount, formatMoney } from '../../ui/money.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import type { Approval, DepositChoice } from './approval.ts'

/**
 * Describes a choice in a deposit vote: `Split into 3.00 USD and 4.00 USD`. Empty for a vote on anything
 * else.
 */
export function describeChoice(choice: DepositChoice | undefined, whole: Amount | undefined): string {
  if (choice === undefined) return ''
  const { decision, accountId = '', amounts = [] } = choice
  const parts = whole ? amounts.map((amount) => formatMoney({ ...whole, amount })).join(' and ') : ''
  switch (decision) {
    case 'ASSIGN':
      return `Assign to ${shortenId(accountId)}`
    case 'RETURN':
      return 'Return to sender'
    case 'SPLIT':
      return `Split into ${parts}`
    case 'WRITE_OFF':
      return 'Write off'
    case 'ADJUST':
      return `Adjust to ${parts}`
  }
}

/** All votes for the same choice. */
export interface Ballot {
  readonly text: string
  readonly choice: DepositChoice | undefined
  readonly votes: Approval['votes']
}

/** Groups the votes so far by choice. */
export function groupVotes({ votes, amount }: Approval): readonly Ballot[] {
  const ballots = new Map<string, Ballot>()
  for (const vote of votes) {
    const text = describeChoice(vote.choice, amount)
    const { votes: previousVotes = [] } = ballots.get(text) ?? {}
    ballots.set(text, { text, choice: vote.choice, votes: [...previousVotes, vote] })
  }
  return [...ballots.values()]
}

/** True if the API requires a reason for this choice. */
export function needsReason({ decision }: DepositChoice): boolean {
  return decision !== 'ASSIGN' && decision !== 'RETURN'
}

/** Votes for a choice that another member has already voted for. */
export async function castVote(depositId: string, choice: DepositChoice, reason: string): Promise<unknown> {
  const { decision, accountId = '', amounts = [] } = choice
  const note = reason === '' ? {} : { note: reason }
  switch (decision) {
    case 'ASSIGN':
      return countersign.deposits.assign(depositId, { accountId, ...note })
    case 'RETURN':
      return countersign.deposits.return(depositId, note)
    case 'SPLIT':
      return countersign.deposits.split(depositId, { amounts: [...amounts], reason })
    case 'WRITE_OFF':
      return countersign.deposits.writeOff(depositId, { reason })
    case 'ADJUST':
      return countersign.deposits.adjust(depositId, { amount: amounts[0] ?? 0n, reason })
  }
}
