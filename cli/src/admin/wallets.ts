import { ask } from './ask-server.ts'

/** `countersign wallet unlock`: returns the exit code. */
export async function unlockWallet(account: string, options: { json?: boolean }): Promise<number> {
  return ask(
    ['wallet', 'unlock', '--account', account],
    options.json ?? false,
    ({ unlocked }: { readonly unlocked: string }) => `Sign-in by code to ${unlocked} is unlocked.\n`,
  )
}
