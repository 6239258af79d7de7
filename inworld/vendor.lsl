// Vendor of the Store Integration Service: sells one product for L$ and store credit.
//
// Put this script into an object with a notecard named "vendor" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//     product = the product's UUID
//
// The key needs the scopes of the preset "vendor". A line "face = 4" puts the product's picture on that side alone. See
// README.md beside this file.

string TITLE = "Vendor";
string NOTECARD = "vendor";
string SETTINGS = "service = https://..., key = sis_live_..., product = its UUID, face = a side from 0 to 8";
list SCOPES = ["sales:write", "products:read"];

// ---- Shared: this part is the same in dispenser.lsl, terminal.lsl and vendor.lsl, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
key gNotecard;
key gKeyCheck;
list gTold;
string gStatus;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    gStatus = text;
    if (gHover == "off") text = "";
    llSetText(text, <1.0, 1.0, 1.0>, 1.0);
}

// The owner hears each trouble once, offline as well.
complain(string text)
{
    if (llListFindList(gTold, [text]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += text;
    llInstantMessage(llGetOwner(), TITLE + ": " + text);
}

// A trouble that keeps the object from its work stands above it as well.
stop(string text)
{
    show(TITLE + ": " + text);
    complain(text);
}

// A JSON string. llList2Json is not used: it takes a text such as "[A] lamp" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

// A call of the service; NULL_KEY if the region lets no more through now.
key call(string method, string path, string body, list more)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, method,
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ] + more, body);
}

// Every live key may ask what it may do. The reason of most refusals does not reach a script, which sees 415 in its place.
askKey()
{
    gKeyCheck = call("GET", "/v1/store", "", []);
}

integer isKeyFault(integer status)
{
    return status == 401 || status == 403 || status == 415;
}

// Says from the answer to askKey what is wrong with the key; empty if nothing is.
string keyFault(integer status, string body)
{
    if (isKeyFault(status))
        return "the service does not accept the key in the notecard, or is busy. Next try in a minute. If this stays, the key is mistyped, revoked, expired or of another service: ask the operator for a new one.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "the service does not answer (" + (string)status + "). See that the address in the notecard is right. Next try in a minute.";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key \"" + llJsonGetValue(body, ["key", "name"]) + "\" lacks the scope " + scope + ". It has " + scopes
                + ". Ask the operator for a key with the preset " + NOTECARD + ", and put it into the notecard.";
    }
    return "";
}

// A line is blank, a comment that begins with #, or a name, = and a value.
readLine(string line)
{
    line = llStringTrim(line, STRING_TRIM);
    if (line == "" || llGetSubString(line, 0, 0) == "#") return;
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service")
    {
        // People copy a slash along, or the /v1 of the API's paths.
        while (llGetSubString(value, -1, -1) == "/") value = llDeleteSubString(value, -1, -1);
        if (llGetSubString(value, -3, -1) == "/v1") value = llDeleteSubString(value, -3, -1);
        gService = value;
    }
    else if (name == "key") gKey = value;
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("line " + (string)(gLine + 1) + " of the notecard is none that it knows. It knows " + SETTINGS
            + " and hover = on or off. A comment begins with #.");
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = llGetInventoryKey(NOTECARD);
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
}

// Takes a line and asks for the next. True behind the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    if (line != EOF)
    {
        readLine(line);
        ++gLine;
        gLineQuery = llGetNotecardLine(NOTECARD, gLine);
        return FALSE;
    }
    if (gService == "" || gKey == "") stop("the notecard lacks its line \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address of the service must begin with https://. Correct it in the notecard.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("this is not the main grid. It stays off here: use it on the main grid.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return llGetInventoryKey(NOTECARD) != gNotecard;
}

// ---- End of the shared part. ----

// A sale that is not settled lives in linkset data under "sis:" and the sale's id, and survives a reset and a restart of the
// region. Its first letter says how far it is: S a sale that the service has not answered, O L$ owed to the buyer, P L$
// that are on their way to the buyer.
string OPEN = "sis:";
integer BATCH = 20;

// Seconds: a quote's and a menu's life, the wait for an answer to a sale, the pause of what is open, of a vendor that is not
// ready, and of one that has nothing to do and looks at its product.
integer SESSION = 120;
integer PATIENCE = 90;
float TICK = 20.0;
integer RETRY = 60;
integer REFRESH = 1800;

// A product may have a description of 4,096 characters. What comes before it is enough to sell.
integer LONGEST = 4096;

// The longest name that fits into a dialog of 512 bytes, in characters of three bytes.
integer NAME = 120;

string NO_TEXTURE = "00000000-0000-0000-0000-000000000000";

string gProduct;
integer gFace = ALL_SIDES;
string gName;
string gImage;
string gDemo;
integer gPrice;
string gRefusal;
integer gTakesCredit;
integer gReady;
integer gLookedAt;
key gProductRequest;

// The avatar who uses the vendor, until when, what they want, and on which terms.
key gBuyer = NULL_KEY;
integer gUntil;
string gWanted;
string gRecipient;
integer gUseCredit;
integer gToPay;
string gQuote;
key gQuoteRequest;
integer gChannel;
integer gListen;
string gMenu;

// The sale and the payment under way, one at a time.
string gSale;
key gSaleRequest = NULL_KEY;
integer gSaleAt;
string gPayment;
key gTransaction = NULL_KEY;
integer gPlace;

integer isSetting(string name, string value)
{
    if (name == "face" && (string)((integer)value) == value) gFace = (integer)value;
    else if (name != "product") return FALSE;
    else if ((key)value) gProduct = value;
    else return FALSE;
    return TRUE;
}

// Without the permission to give L$ back the vendor takes none.
integer maySell()
{
    return gReady && gRefusal == "" && (llGetPermissions() & PERMISSION_DEBIT);
}

// The pay button has exactly one price, or there is none.
showPrice(integer price)
{
    if (maySell() && price > 0) llSetPayPrice(PAY_HIDE, [price, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    else llSetPayPrice(PAY_HIDE, [PAY_HIDE, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    if (!gReady) return;
    if (gRefusal == "") show(gName + "\nL$ " + (string)gPrice);
    else show(gName + "\n" + sentence(gRefusal));
}

askDebit()
{
    llOwnerSay("Vendor: please allow it to give L$ back from your account. It pays nothing but change, and what buyers paid for a sale that was refused.");
    llRequestPermissions(llGetOwner(), PERMISSION_DEBIT);
}

endSession()
{
    gBuyer = NULL_KEY;
    gQuote = "";
    gQuoteRequest = NULL_KEY;
    gMenu = "";
    llListenRemove(gListen);
    showPrice(gPrice);
}

// The fields that a quote and its sale share.
string terms(string product, key buyer, string recipient, integer useCredit)
{
    string credit = "false";
    if (useCredit) credit = "true";
    return "\"productId\":" + quoted(product) + ",\"buyerIdentifier\":" + quoted((string)buyer)
        + ",\"recipientIdentifier\":" + quoted(recipient) + ",\"useCredit\":" + credit;
}

askQuote()
{
    gMenu = "";
    gQuoteRequest = call("POST", "/v1/quotes", "{" + terms(gWanted, gBuyer, gRecipient, gUseCredit) + "}", []);
    if (gQuoteRequest != NULL_KEY) return;
    llRegionSayTo(gBuyer, 0, "This vendor has too much to do now. Please touch it again in half a minute.");
    endSession();
}

string sentence(string refusal)
{
    if (refusal == "closed") return "The store is closed. Please come back later.";
    if (refusal == "banned") return "This store does not sell to you or to that avatar. Please ask its owner.";
    if (refusal == "inactive") return "The product is not for sale now. Please come back later.";
    if (refusal == "sold-out") return "The product is sold out. Please ask the store's owner.";
    if (refusal == "underpaid") return "That is less than the price. Please touch the vendor to see it.";
    if (refusal == "unknown-resident") return "No avatar has that username. Please touch the vendor again.";
    return "The price or your credit has changed meanwhile. Please touch the vendor again.";
}

quoteAnswered(integer status, string body)
{
    string refusal = llJsonGetValue(body, ["refusal"]);
    if (status == 400) refusal = "unknown-resident";
    else if (status != 200)
    {
        llRegionSayTo(gBuyer, 0, "The store does not answer now. Please touch the vendor again in a minute.");
        if (isKeyFault(status)) askKey();
        else complain("the service answered a quote with " + (string)status + ". If this stays, ask the operator.");
        endSession();
        return;
    }
    if (refusal != JSON_NULL)
    {
        llRegionSayTo(gBuyer, 0, sentence(refusal));
        endSession();
        return;
    }
    gQuote = llJsonGetValue(body, ["quote"]);
    gToPay = (integer)llJsonGetValue(body, ["toPay"]);
    gUntil = llGetUnixTime() + SESSION;
    if (gToPay > 0)
    {
        showPrice(gToPay);
        llRegionSayTo(gBuyer, 0, "Please pay L$ " + (string)gToPay + " to this object within two minutes.");
    }
    else if ((integer)llJsonGetValue(body, ["total"]) == 0) sell(gBuyer, 0);
    else
    {
        gMenu = "confirm";
        llDialog(gBuyer, gName + "\nYour store credit pays all of it: L$ " + llJsonGetValue(body, ["total"]) + ".",
            ["Confirm", "Cancel"], gChannel);
    }
}

// Keeps the sale before it is sent, so that no payment is lost.
sell(key buyer, integer paid)
{
    string id = (string)llGenerateKey();
    string body = "{\"id\":" + quoted(id) + ",\"paid\":" + (string)paid + ",";
    if (buyer == gBuyer && gQuote != "" && llGetUnixTime() <= gUntil)
        body += terms(gWanted, buyer, gRecipient, gUseCredit) + ",\"quote\":" + quoted(gQuote) + "}";
    else body += terms(gProduct, buyer, (string)buyer, FALSE) + "}";
    if (buyer == gBuyer) endSession();
    if (llLinksetDataWrite(OPEN + id, "S" + body) != LINKSETDATA_OK)
    {
        complain("its memory is full of sales that the service has not answered. It pays L$ " + (string)paid + " back to secondlife:///app/agent/"
            + (string)buyer + "/about: look at your transactions. Ask the operator why the service does not answer.");
        if (paid > 0) llTransferLindenDollars(buyer, paid);
        return;
    }
    settle();
}

// Takes the next step of what is open, a batch at a time: sends one sale, and gives back one sum.
settle()
{
    integer now = llGetUnixTime();
    list open = llLinksetDataFindKeys("^" + OPEN, gPlace, BATCH);
    integer count = llGetListLength(open);
    integer i;
    for (i = 0; i < count; ++i)
    {
        string entry = llList2String(open, i);
        string value = llLinksetDataRead(entry);
        string stage = llGetSubString(value, 0, 0);
        if (stage == "S" && (gSaleRequest == NULL_KEY || now - gSaleAt > PATIENCE))
        {
            gSale = entry;
            gSaleAt = now;
            gSaleRequest = call("POST", "/v1/sales", llDeleteSubString(value, 0, 0), []);
        }
        else if (stage == "O" && gTransaction == NULL_KEY && (llGetPermissions() & PERMISSION_DEBIT))
        {
            if (llLinksetDataWrite(entry, "P" + llDeleteSubString(value, 0, 0)) == LINKSETDATA_OK)
            {
                gPayment = entry;
                gTransaction = llTransferLindenDollars((key)llGetSubString(value, 1, 36), (integer)llGetSubString(value, 37, -1));
            }
        }
        else if (stage == "P" && entry != gPayment)
        {
            // The region died before it said whether the L$ were paid. Paying twice would be as wrong.
            llInstantMessage(llGetOwner(), "Vendor: a payment of L$ " + llGetSubString(value, 37, -1) + " to secondlife:///app/agent/"
                + llGetSubString(value, 1, 36) + "/about was under way when the region stopped. Check your transactions, and pay it if it is not there.");
            llLinksetDataDelete(entry);
        }
    }
    // A payment that cannot be settled now must not keep the others waiting.
    if (count < BATCH) gPlace = 0;
    else gPlace += BATCH;
    if (count > 0 || gPlace > 0 || gBuyer != NULL_KEY || !gReady) llSetTimerEvent(TICK);
    else llSetTimerEvent((float)REFRESH);
}

saleAnswered(integer status, string body)
{
    string asked = llDeleteSubString(llLinksetDataRead(gSale), 0, 0);
    string buyer = llJsonGetValue(asked, ["buyerIdentifier"]);
    integer paid = (integer)llJsonGetValue(asked, ["paid"]);
    string result = llJsonGetValue(body, ["state"]);
    string text = "Thank you! It is on its way.";
    integer change = paid;
    gSaleRequest = NULL_KEY;
    if (status == 201 && result != JSON_INVALID)
    {
        gTold = [];
        change = (integer)llJsonGetValue(body, ["change"]);
        if (result == "refused")
        {
            text = sentence(llJsonGetValue(body, ["refusal"]));
            lookAgain();
        }
    }
    else if (status == 400 || status == 422)
    {
        complain("the service refused a sale: " + llJsonGetValue(body, ["detail"]) + " The buyer gets the L$ back. Tell the operator.");
        text = "This sale cannot be made. Please tell the store's owner.";
    }
    else
    {
        complain("the service answered a sale with " + (string)status + ". The sale is kept and tried again, and nothing is lost. If this stays, tell the operator.");
        if (isKeyFault(status)) askKey();
        return;
    }
    if (change > 0)
    {
        text += " You get L$ " + (string)change + " back.";
        llLinksetDataWrite(gSale, "O" + buyer + (string)change);
    }
    else llLinksetDataDelete(gSale);
    llRegionSayTo((key)buyer, 0, text);
    settle();
}

askProduct()
{
    gProductRequest = call("GET", "/v1/products/" + gProduct, "", [HTTP_BODY_MAXLENGTH, LONGEST]);
}

// Looks at the product, and at the key first if the vendor is not ready.
lookAgain()
{
    gLookedAt = llGetUnixTime();
    if (gReady) askProduct();
    else askKey();
}

notReady(string why)
{
    gReady = FALSE;
    stop(why);
    showPrice(0);
    llSetTimerEvent(TICK);
}

productAnswered(integer status, string body)
{
    if (status == 404)
    {
        notReady("the service has no product with the UUID in the notecard. Correct its line \"product = ...\".");
        return;
    }
    string name = llJsonGetValue(body, ["name"]);
    if (status != 200 || name == JSON_INVALID)
    {
        if (isKeyFault(status)) askKey();
        else complain("the service answered " + (string)status + " when it was asked for the product. If this stays, tell the operator.");
        return;
    }
    gName = llGetSubString(name, 0, NAME - 1);
    gPrice = (integer)llJsonGetValue(body, ["activePrice"]);
    gRefusal = "";
    if (llJsonGetValue(body, ["limited"]) == JSON_TRUE && llJsonGetValue(body, ["availableAmount"]) == "0") gRefusal = "sold-out";
    if (llJsonGetValue(body, ["active"]) == JSON_FALSE) gRefusal = "inactive";
    gTakesCredit = llJsonGetValue(body, ["blockCredits"]) == JSON_FALSE;
    gDemo = llJsonGetValue(body, ["demoId"]);
    if (gDemo == JSON_NULL || gDemo == JSON_INVALID) gDemo = "";
    string image = llJsonGetValue(body, ["image"]);
    if (image != gImage && image != NO_TEXTURE) llSetTexture(image, gFace);
    gImage = image;
    if (!gReady) gTold = [];
    gReady = TRUE;
    if (gBuyer == NULL_KEY) showPrice(gPrice);
    settle();
}

default
{
    state_entry()
    {
        showPrice(0);
        openNotecard();
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        if (!isRead(line)) return;
        if (gProduct == "")
        {
            gService = "";
            stop("the notecard lacks its line \"product = ...\", with the UUID of the product.");
            return;
        }
        askDebit();
        lookAgain();
        llSetTimerEvent(TICK);
    }

    run_time_permissions(integer permissions)
    {
        if (!(permissions & PERMISSION_DEBIT)) complain("without the permission to give L$ back it sells nothing. Touch it to be asked again.");
        showPrice(gPrice);
        settle();
    }

    touch_start(integer count)
    {
        key who = llDetectedKey(0);
        integer now = llGetUnixTime();
        if (gService != "" && now - gLookedAt >= RETRY) lookAgain();
        if (who == llGetOwner() && !(llGetPermissions() & PERMISSION_DEBIT) && gService != "") askDebit();
        else if (gReady && gRefusal != "") llRegionSayTo(who, 0, sentence(gRefusal));
        else if (!maySell()) llRegionSayTo(who, 0, "This vendor is not ready. Please try again later, or tell its owner.");
        else if (gBuyer != NULL_KEY && gBuyer != who && now <= gUntil)
            llRegionSayTo(who, 0, "Somebody else is choosing. Please wait a moment, and touch it again.");
        else
        {
            endSession();
            gBuyer = who;
            gWanted = gProduct;
            gRecipient = (string)who;
            gUseCredit = FALSE;
            gUntil = now + SESSION;
            gChannel = (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6)) | 0x80000000;
            gListen = llListen(gChannel, "", who, "");
            gMenu = "menu";
            list buttons = ["Buy", "Gift"];
            if (gTakesCredit) buttons += "Use credit";
            if (gDemo != "") buttons += "Demo";
            llSetTimerEvent(TICK);
            llDialog(who, gName + "\nL$ " + (string)gPrice + "\nBuy it, or give it to somebody.", buttons + "Cancel", gChannel);
        }
    }

    listen(integer channel, string name, key id, string text)
    {
        if (id != gBuyer || llGetUnixTime() > gUntil) return;
        if (gMenu == "confirm" && text == "Confirm") sell(id, 0);
        else if (gMenu == "name")
        {
            gRecipient = llReplaceSubString(llToLower(llStringTrim(text, STRING_TRIM)), " ", ".", 0);
            askQuote();
        }
        else if (gMenu != "menu" || text == "Cancel") endSession();
        else if (text == "Gift")
        {
            gMenu = "name";
            llTextBox(id, "The username of the avatar whom it is for:", gChannel);
        }
        else
        {
            gUseCredit = text == "Use credit";
            if (text == "Demo") gWanted = gDemo;
            askQuote();
        }
    }

    money(key buyer, integer amount)
    {
        sell(buyer, amount);
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gProductRequest)
        {
            // A description may have 4,096 characters. It is dropped here, since a text that is passed on needs its memory
            // twice. Within it no comma comes before a quotation mark, so these are the names of fields.
            integer from = llSubStringIndex(body, ",\"description\":");
            integer to = llSubStringIndex(body, ",\"demoId\":");
            if (from > 0 && to > from) body = llDeleteSubString(body, from, to - 1);
            else if (from > 0)
            {
                body = llGetSubString(body, 0, from - 1) + "}";
                if (gName == "") complain("the product's description is too long to see whether it has a demo. It is sold without one. Shorten the description to 3,000 letters.");
            }
            productAnswered(status, body);
        }
        else if (request == gSaleRequest) saleAnswered(status, body);
        else if (request == gQuoteRequest)
        {
            gQuoteRequest = NULL_KEY;
            quoteAnswered(status, body);
        }
        else if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            if (fault == "") askProduct();
            else notReady(fault);
        }
    }

    transaction_result(key id, integer success, string data)
    {
        if (id != gTransaction) return;
        if (success) llLinksetDataDelete(gPayment);
        else
        {
            llLinksetDataWrite(gPayment, "O" + llDeleteSubString(llLinksetDataRead(gPayment), 0, 0));
            complain("L$ could not be given back: " + data + ". See that your account has enough. It is tried again.");
        }
        gPayment = "";
        gTransaction = NULL_KEY;
        if (success) settle();
    }

    timer()
    {
        integer now = llGetUnixTime();
        if (gBuyer != NULL_KEY && now > gUntil) endSession();
        if (gService != "" && (now - gLookedAt >= REFRESH || (!gReady && now - gLookedAt >= RETRY))) lookAgain();
        settle();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || isOtherNotecard(change)) llResetScript();
        if (change & CHANGED_REGION_START)
        {
            // A request that was under way is never answered. A sale is sent again once its time is over.
            // Nor does the line of the notecard come that it waited for.
            if (!gReady && gTold == []) llResetScript();
            gTransaction = NULL_KEY;
            gPayment = "";
            endSession();
            settle();
        }
    }
}
