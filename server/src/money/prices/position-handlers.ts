import type { positions } from '@countersign/contract/payments/positions'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { findPositions, positionView } from './positions.ts'

export const positionHandlers: Handlers<typeof positions> = {
  position_list: async (op) => ({
    status: 200,
    body: { data: (await findPositions(op)).map((row) => positionView(op, row)) },
  }),
}
