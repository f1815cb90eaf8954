import { languageOf } from '@countersign/sdk/react'

/** The strings of this app. The wallet kit has its own. */
interface AppTexts {
  readonly title: string
  readonly signUp: string
  readonly name: string
  readonly email: string
  readonly notSignedUp: string
  readonly thisDevice: string
  readonly sandbox: string
  readonly sandboxAbout: string
  readonly openInbox: string
  readonly emptyInbox: string
  readonly deposit: string
  readonly deposited: string
}

const EN: AppTexts = {
  title: 'A wallet',
  signUp: 'Sign up',
  name: 'Your name',
  email: 'Your e-mail address',
  notSignedUp: 'That did not work. Check the name and the address.',
  thisDevice: 'This device',
  sandbox: 'Only in the sandbox',
  sandboxAbout:
    'No e-mail leaves the sandbox: the code is 000000. No bank sends money here: the button does.',
  openInbox: 'Open sandbox inbox',
  emptyInbox: 'No message has arrived yet.',
  deposit: 'Send 250 USDB to the wallet',
  deposited: 'The money has been sent.',
}

const ES: AppTexts = {
  title: 'Una cartera',
  signUp: 'Registrarse',
  name: 'Tu nombre',
  email: 'Tu correo electrónico',
  notSignedUp: 'No ha funcionado. Revisa el nombre y el correo.',
  thisDevice: 'Este dispositivo',
  sandbox: 'Solo en el entorno de pruebas',
  sandboxAbout:
    'De aquí no sale ningún correo: el código es 000000. Ningún banco envía dinero: lo hace el botón.',
  openInbox: 'Abrir la bandeja de pruebas',
  emptyInbox: 'Todavía no ha llegado ningún mensaje.',
  deposit: 'Enviar 250 USDB a la cartera',
  deposited: 'El dinero se ha enviado.',
}

const PT: AppTexts = {
  title: 'Uma carteira',
  signUp: 'Criar conta',
  name: 'Seu nome',
  email: 'Seu e-mail',
  notSignedUp: 'Não funcionou. Verifique o nome e o e-mail.',
  thisDevice: 'Este dispositivo',
  sandbox: 'Somente no ambiente de testes',
  sandboxAbout: 'Nenhum e-mail sai daqui: o código é 000000. Nenhum banco envia dinheiro: o botão envia.',
  openInbox: 'Abrir a caixa de testes',
  emptyInbox: 'Nenhuma mensagem chegou ainda.',
  deposit: 'Enviar 250 USDB para a carteira',
  deposited: 'O dinheiro foi enviado.',
}

const FR: AppTexts = {
  title: 'Un portefeuille',
  signUp: 'Créer un compte',
  name: 'Votre nom',
  email: 'Votre adresse e-mail',
  notSignedUp: 'Cela n’a pas fonctionné. Vérifiez le nom et l’adresse.',
  thisDevice: 'Cet appareil',
  sandbox: 'Seulement dans le bac à sable',
  sandboxAbout:
    'Aucun e-mail ne part d’ici : le code est 000000. Aucune banque n’envoie d’argent : le bouton le fait.',
  openInbox: 'Ouvrir la boîte de test',
  emptyInbox: 'Aucun message n’est encore arrivé.',
  deposit: 'Envoyer 250 USDB au portefeuille',
  deposited: 'L’argent a été envoyé.',
}

export const language = new URLSearchParams(location.search).get('language') ?? 'en'
export const texts = { en: EN, es: ES, pt: PT, fr: FR }[languageOf(language)]
