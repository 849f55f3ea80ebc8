// The peer: Probot with one handler that does nothing. PORT and SECRET say where and how.
import { generateKeyPairSync } from "node:crypto";
import { pino } from "pino";
import { Probot, Server } from "probot";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
const log = pino({ level: "fatal" });
const server = new Server({
  host: "127.0.0.1",
  port: Number(process.env.PORT),
  webhookPath: "/github/webhook",
  log,
  Probot: Probot.defaults({ appId: 12345, privateKey, secret: process.env.SECRET, log }),
});
await server.load((app) => {
  app.on("issues.labeled", async () => {});
});
await server.start();
