import { type Command, Option } from 'commander'
import { listProfiles } from './list.ts'
import { type LoginOptions, logIn } from './login.ts'
import { type LogoutOptions, logOut } from './logout.ts'

const LOGIN = `
Prompts for missing options. The name of the profile is --profile NAME (default: default).`

/** Adds `countersign login`, `profiles` and `logout`. */
export function addProfileCommands(program: Command): void {
  program
    .command('login')
    .description('check the credentials of a server and store them as a profile')
    .option(
      '--base-url <url>',
      'URL of the server, such as https://pay.example.com; the API version is detected',
    )
    .option('--token-id <id>', 'the token, Token:…')
    .addOption(
      new Option('--client-secret <secret>', 'its secret; other users of the machine can read options').env(
        'COUNTERSIGN_CLIENT_SECRET',
      ),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', LOGIN)
    .action(async (options: LoginOptions) => logIn(options))
  program
    .command('profiles')
    .description('list the profiles of this user, without their secrets')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => listProfiles(options))
  program
    .command('logout')
    .description('remove the default profile, or the one given with --profile')
    .option('--yes', 'skip the confirmation')
    .option('--json', 'print JSON')
    .action(async (options: LogoutOptions) => logOut(options))
}
